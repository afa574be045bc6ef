// Bundles a script or a style sheet with what it imports: what the builds of all pages share.
import {build} from 'esbuild';

/** The text of `entry`, a file below the folder `here` (a URL), as one file. */
export async function bundle(here, entry, options) {
  const result = await build({
    absWorkingDir: new URL('.', here).pathname,
    entryPoints: [entry],
    alias: {shared: new URL('shared', here).pathname},
    bundle: true,
    minify: true,
    write: false,
    charset: 'utf8',
    legalComments: 'inline',
    logLevel: 'warning',
    ...options,
  });
  return result.outputFiles[0].text.trim();
}

export const script_options = {
  format: 'iife',
  target: 'es2021',
  define: {'process.env.NODE_ENV': '"production"'},
};

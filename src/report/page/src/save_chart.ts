// A chart as a file of its own, SVG or PNG, made here without a network. The page's colours are CSS variables, which no
// other program knows: they are written out as they look now, on the page's paper.

import {element} from 'shared/element';

const pixels = 2;  // of the picture for one of the page

/** Two buttons next to a chart. */
export function offerToSave(host: HTMLElement): void {
  const save = (as: string, made: (svg: SVGSVGElement) => Promise<Blob>) => element('button', {
    type: 'button', 'aria-label': `Save the chart as ${as}: ${labelOf(host)}`,
    onclick: () => {
      const svg = host.querySelector('svg');
      if (svg) void made(svg).then(blob => download(blob, `${fileName(host)}.${as.toLowerCase()}`));
    },
  }, as);
  const buttons = element('div', {class: 'save'}, element('span', {}, 'Save as'),
      save('SVG', async svg => new Blob([standalone(svg, host)], {type: 'image/svg+xml'})), save('PNG', svg => picture(svg, host)));
  const caption = host.closest('.panel')?.querySelector('figcaption');
  if (caption) caption.append(buttons);
  else host.after(buttons);
}

function labelOf(host: HTMLElement): string {
  return (host.getAttribute('aria-label') ?? 'chart').split(';')[0]!;
}

function fileName(host: HTMLElement): string {
  return labelOf(host).toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '').slice(0, 60) || 'chart';
}

/** The drawing as a text that needs nothing of this page. */
export function standalone(svg: SVGSVGElement, host: HTMLElement): string {
  const look = getComputedStyle(host);
  const {width, height} = svg.getBoundingClientRect();
  const copy = svg.cloneNode(true) as SVGSVGElement;
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('width', String(width));
  copy.setAttribute('height', String(height));
  copy.setAttribute('viewBox', `0 0 ${width} ${height}`);
  copy.removeAttribute('style');
  const paper = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  for (const [name, value] of Object.entries({width: '100%', height: '100%', fill: 'var(--paper)'})) paper.setAttribute(name, value);
  const title = document.createElementNS('http://www.w3.org/2000/svg', 'title');
  title.textContent = labelOf(host);
  copy.prepend(title, paper);
  return new XMLSerializer().serializeToString(copy)
      .replace(/var\((--[\w-]+)\)/g, (_, name: string) => look.getPropertyValue(name).trim() || 'none');
}

async function picture(svg: SVGSVGElement, host: HTMLElement): Promise<Blob> {
  const {width, height} = svg.getBoundingClientRect();
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(standalone(svg, host))}`;
  await image.decode();
  const canvas = element('canvas', {width: Math.round(width * pixels), height: Math.round(height * pixels)});
  canvas.getContext('2d')!.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done, failed) => canvas.toBlob(blob => blob ? done(blob) : failed(new Error('no picture')), 'image/png'));
}

function download(blob: Blob, name: string): void {
  const link = element('a', {href: URL.createObjectURL(blob), download: name});
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

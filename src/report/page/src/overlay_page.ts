// The page of servers that gossip: what mirab simulate reports of `kind: overlay`.

import {element} from 'shared/element';
import {count} from 'shared/format';
import {noticesSection, pageHeader, section} from './layout';
import {isPictured} from './overlay_data';
import type {Overlay} from './overlay_data';
import {runsDiffer, runsTable} from './overlay_tables';
import {runsScatter} from './overlay_scatter';
import {overlayView} from './overlay_view';
import {seedsSection} from './seeds';

export function showOverlay(page: HTMLElement, overlay: Overlay): void {
  const {cluster, servers, users, runs} = overlay;
  const pictured = runs.filter(isPictured);
  page.replaceChildren(pageHeader(overlay,
      `${count(servers.length, 'server')} of ${cluster}, each with a view of a few others, serve ${count(users, 'user')}.`,
      runsDiffer(overlay)));
  if (pictured.length > 0) {
    page.append(section('The overlay as it converges', 'Each dot is a server; the nearer the centre, the poorer its poorest user. Lines point ' +
      'to the servers it knows. A dot fills its circle as the server fills; servers without users are outside.', overlayView(overlay, pictured)));
  }
  const scatter = runsScatter(overlay);
  if (scatter) page.append(scatter);
  page.append(...seedsSection(overlay), section('The runs in numbers', '', ...runsTable(overlay)));
  const notices = noticesSection([{label: '', notices: overlay.notices}]);
  if (notices) page.append(notices);
  if (pictured.length === 0) page.append(element('p', {class: 'quiet'}, 'No frames were kept; the scenario asks for them with `frames`.'));
}

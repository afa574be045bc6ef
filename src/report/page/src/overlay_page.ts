// The page of servers that gossip: what mirab simulate reports of `kind: overlay`.

import {element} from './element';
import {count} from './format';
import {noticesSection, pageHeader, section} from './layout';
import {isPictured} from './overlay_data';
import type {Overlay} from './overlay_data';
import {runsDiffer, runsTable} from './overlay_tables';
import {overlayView} from './overlay_view';

export function showOverlay(page: HTMLElement, overlay: Overlay): void {
  const {cluster, servers, users, runs} = overlay;
  const pictured = runs.filter(isPictured);
  page.replaceChildren(pageHeader(overlay,
      `${count(servers.length, 'server')} of ${cluster}, each with a view of a few others, serve ${count(users, 'user')}.`,
      runsDiffer(overlay)));
  if (pictured.length > 0) {
    page.append(section('The overlay as it converges', 'Each disc is a server; the nearer the middle, the lower the lowest ' +
      'share of its users. Servers without users are outside. A wedge points from a server to one that it knows; bright ones point ' +
      'towards the middle. A disc fills its circle as the server fills.', overlayView(overlay, pictured)));
  }
  page.append(section('The runs in numbers', '', ...runsTable(overlay)));
  const notices = noticesSection([{label: '', notices: overlay.notices}]);
  if (notices) page.append(notices);
  if (pictured.length === 0) page.append(element('p', {class: 'quiet'}, 'No frames were kept; the scenario asks for them with `frames`.'));
}

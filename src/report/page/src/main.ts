// Shows the page that its data asks for.

import {readAudited, readCompared, readExplained, readLimited, readPlanned, readSurveyed} from './answer_data';
import {showAudit} from './audit_page';
import {showDemands} from './demands_page';
import {showDifference} from './diff_page';
import {element} from 'shared/element';
import {showExplanation, showSurvey} from './explain_pages';
import {placeCharts} from './layout';
import {showLimits} from './limits_page';
import {showOutcomes} from './outcomes_page';
import {readOverlay} from './overlay_data';
import {showOverlay} from './overlay_page';
import {readPage} from './page_data';
import type {PageData} from './page_data';
import {showReallocation} from './reallocation_page';
import {showPlan} from './plan_page';
import {readReport} from './report_data';
import {readReproduction} from './reproduction_data';
import {showReproduction} from './reproduction_page';
import {readDemands, readReallocation, readTrace, readTraffic} from './simulation_data';
import {showTrace} from './trace_page';
import {showTraffic} from './traffic_page';

const pages: Record<string, (page: HTMLElement, data: PageData) => void> = {
  outcomes: (page, data) => showOutcomes(page, readReport(data)),
  traffic: (page, data) => showTraffic(page, readTraffic(data)),
  trace: (page, data) => showTrace(page, readTrace(data)),
  reallocation: (page, data) => showReallocation(page, readReallocation(data)),
  demands: (page, data) => showDemands(page, readDemands(data)),
  overlay: (page, data) => showOverlay(page, readOverlay(data)),
  survey: (page, data) => showSurvey(page, readSurveyed(data)),
  explanation: (page, data) => showExplanation(page, readExplained(data)),
  diff: (page, data) => showDifference(page, readCompared(data)),
  audit: (page, data) => showAudit(page, readAudited(data)),
  limits: (page, data) => showLimits(page, readLimited(data)),
  plan: (page, data) => showPlan(page, readPlanned(data)),
  reproduce: (page, data) => showReproduction(page, readReproduction(data)),
};

function show(page: HTMLElement, data: PageData): void {
  const of_kind = new Map(Object.entries(pages)).get(data.kind ?? 'outcomes');
  if (!of_kind) throw new Error(`its data is of a kind unknown here: ${JSON.stringify(data.kind)}`);
  of_kind(page, data);
  if (data.made) page.append(element('footer', {class: 'quiet'}, `Made by ${data.made}`));
  document.title = `${data.title} · Mirab`;
  placeCharts();
}

function fail(page: HTMLElement, error: unknown): void {
  page.replaceChildren(element('div', {role: 'alert', class: 'alert'},
      element('h1', {}, 'This report cannot be shown'),
      element('p', {}, `The page was written without usable data: ${error instanceof Error ? error.message : String(error)}.`)));
  document.documentElement.dataset['mirab'] = 'failed';
}

const page = document.getElementById('page')!;
try {
  show(page, readPage(document.getElementById('mirab-data')!.textContent ?? ''));
  document.documentElement.dataset['mirab'] = 'drawn';
} catch (error) {
  fail(page, error);
}

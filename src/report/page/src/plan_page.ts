// The page of a plan: what to buy, or which weight to give, and what it brings everyone. What mirab plan reports.

import {bulletBars, bulletLegend} from './answer_charts';
import type {Planned} from './answer_data';
import {changeSentence, differenceSections} from './diff_page';
import {amount, count, figure, listed} from 'shared/format';
import {chartFigure, noticesSection, pageHeader, section, whenPlaced} from './layout';
import type {Compared} from './schema_types';
import {sortableTable} from 'shared/sortable_table';

export function showPlan(page: HTMLElement, planned: Planned): void {
  const difference = planned.difference as Compared;
  page.replaceChildren(pageHeader(planned, ...lead(planned), changeSentence(difference)));
  const [teams, ...others] = differenceSections(difference);
  if (teams) page.append(teams);
  if (planned.kinds) page.append(purchaseSection(planned));
  page.append(goalSection(planned), ...others);
  const notices = noticesSection([{label: planned.mechanism, notices: difference.after.notices}]);
  if (notices) page.append(notices);
}

function lead({user, mechanism, wanted, tasks_before, tasks_after, kinds = [], weight, price}: Planned): string[] {
  if (weight ? weight.before === weight.after : kinds.every(({count}) => count === 0)) return [`${user} has ${figure(tasks_before)} tasks under ${mechanism} already: nothing has to change.`];
  const brings = `Then ${user} gets ${figure(tasks_after)} tasks instead of ${figure(tasks_before)}; ${figure(wanted)} are wanted.`;
  if (weight) return [`Give ${user} the weight ${figure(weight.after)} instead of ${figure(weight.before)}.`, brings];
  const bought = kinds.filter(each => each.count > 0);
  const cost = kinds.every(({price_of_one}) => price_of_one === 1) ? '' : ` for ${figure(price)}`;
  return [`Buy ${listed(bought.map(each => `${count(each.count, 'server', 'servers')} of the kind ${each.name}`))}${cost}.`, brings];
}

function purchaseSection({kinds = [], words}: Planned): HTMLElement {
  const resources = Object.keys(kinds[0]?.capacity ?? {});
  return section('What to buy', words, sortableTable('What to buy', [
    {heading: 'kind', key: kind => kind.name, text: kind => kind.name},
    ...resources.map(resource => ({heading: resource, group: 'of one', key: (kind: (typeof kinds)[number]) => kind.capacity[resource] ?? 0,
      text: (kind: (typeof kinds)[number]) => amount(kind.capacity[resource] ?? 0)})),
    {heading: 'price of one', key: kind => kind.price_of_one, text: kind => figure(kind.price_of_one)},
    {heading: 'buy', key: kind => kind.count, text: kind => kind.count === 0 ? '–' : String(kind.count)},
    {heading: 'price', key: kind => kind.price, text: kind => kind.count === 0 ? '–' : figure(kind.price)},
  ], [...kinds].sort((a, b) => b.count - a.count)));
}

function goalSection({user, wanted, shapes, tasks_before, tasks_after, kinds, words}: Planned): HTMLElement {
  const {host, figure: chart} = chartFigure(`The tasks of ${user} before and after`, kinds ? '' : words, []);
  chart.append(bulletLegend(false));
  const bullet = (name: string, got: number, asked: number) => ({name, got, asked, fair: undefined});
  const bullets = shapes.length === 0 ?
    [bullet('before', tasks_before, wanted), bullet('after', tasks_after, wanted)] :
    shapes.flatMap(shape => [bullet(`${shape.name} before`, shape.tasks_before, shape.wanted), bullet(`${shape.name} after`, shape.tasks_after, shape.wanted)]);
  whenPlaced(() => bulletBars(host, () => ({bullets, axis: 'tasks'}), figure));
  return section(`What it brings ${user}`, '', chart);
}

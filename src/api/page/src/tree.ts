// The tree of groups as rows, parents above their children.

import type {Group, Queue, TreeRow} from './api';

/** All groups, each followed by those below it; a parent that may not be seen is left out. */
export function treeOf(groups: readonly Group[]): TreeRow[] {
  const names = new Set(groups.map(({name}) => name));
  const below = new Map<string, Group[]>();
  for (const group of groups) {
    const parent = group.parent !== undefined && names.has(group.parent) ? group.parent : '';
    below.set(parent, [...below.get(parent) ?? [], group]);
  }
  const rows: TreeRow[] = [];
  const add = (parent: string, depth: number): void => {
    for (const group of below.get(parent) ?? []) {
      rows.push({...group, depth, is_queue: false});
      add(group.name, depth + 1);
    }
  };
  add('', 0);
  return rows;
}

/** From the cluster down to the queue. */
export function wayTo(queue: Queue, groups: readonly Group[]): TreeRow[] {
  const above: Group[] = [];
  for (let up = queue.group; up !== undefined;) {
    const group = groups.find(({name}) => name === up);
    if (!group || above.includes(group)) break;
    above.unshift(group);
    up = group.parent;
  }
  return [...above.map((group, depth) => ({...group, depth, is_queue: false})), {...queue, depth: above.length, is_queue: true}];
}

/** The group and all groups below it. */
export function within(group: string, groups: readonly Group[]): Set<string> {
  const found = new Set([group]);
  for (let size = 0; size !== found.size;) {
    size = found.size;
    for (const {name, parent} of groups) if (parent !== undefined && found.has(parent)) found.add(name);
  }
  return found;
}

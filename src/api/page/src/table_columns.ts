// A column of a live table: that of all tables, and what a cell may hold besides text.

import type {Snippet} from 'svelte';
import type {Column} from 'shared/sortable_table';

export interface LiveColumn<Row> extends Column<Row> {
  link?: (row: Row) => string | undefined;
  /** Its class: `fails`, `holds`. */
  tone?: (row: Row) => string;
  cell?: Snippet<[Row]>;
  /** Sentences, which may break. */
  is_wordy?: boolean;
}

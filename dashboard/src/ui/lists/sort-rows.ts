export type Sorting = { column: string; direction: 'ascending' | 'descending' }

type SortableColumn<Row> = { id: string; sortBy?: (row: Row) => string | number | null }

/** Ascending, then descending, then the original order. */
export const toggleSorting = (current: Sorting | null, column: string): Sorting | null => {
  if (current?.column !== column) return { column, direction: 'ascending' }
  return current.direction === 'ascending' ? { column, direction: 'descending' } : null
}

/** Rows without a value come last in both directions. */
export const sortRows = <Row>(
  rows: readonly Row[],
  columns: readonly SortableColumn<Row>[],
  sorting: Sorting | null,
): readonly Row[] => {
  const sortBy = columns.find(({ id }) => id === sorting?.column)?.sortBy
  if (!sorting || !sortBy) return rows
  const sign = sorting.direction === 'ascending' ? 1 : -1
  return rows.toSorted((a, b) => {
    const [left, right] = [sortBy(a), sortBy(b)]
    if (left === null || right === null) return Number(left === null) - Number(right === null)
    return sign * compare(left, right)
  })
}

const collator = new Intl.Collator(undefined, { numeric: true })
const compare = (a: string | number, b: string | number): number =>
  typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(String(a), String(b))

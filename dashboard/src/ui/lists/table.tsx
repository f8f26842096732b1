import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { ArrowDown, ArrowUp } from 'lucide-react'
import {
  type KeyboardEvent,
  memo,
  type ReactNode,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useMemo,
  useReducer,
  useRef,
  useState,
} from 'react'
import { cx } from '../cx.ts'
import { MEDIA, useMedia } from '../use-media.ts'
import { type Sorting, sortRows, toggleSorting } from './sort-rows.ts'
import { useFixedColumns } from './use-fixed-columns.ts'

export type Column<Row> = {
  id: string
  header: string
  /** The cells explain themselves, so phones show no header. Screen readers still find it. */
  isHeaderWide?: boolean
  cell: (row: Row) => ReactNode
  /** Makes the column sortable. Only for lists that are loaded completely. */
  sortBy?: (row: Row) => string | number | null
  align?: 'start' | 'end'
  /** Left out on phones. */
  isWide?: boolean
  /** Shares the width that the other columns leave. Its cells truncate their text. */
  isFluid?: boolean
}

type Props<Row> = {
  label: string
  rows: readonly Row[]
  /** Index of `rows[0]` in the list, if the rows before it were released. Default: 0. */
  firstIndex?: number
  /** Called with the index of a visible row that was released. */
  onMissing?: (index: number) => void
  columns: readonly Column<Row>[]
  rowKey: (row: Row) => string
  /**
   * Renders the content of the first column as a link or button that opens the row. A click anywhere on the row activates it;
   * arrow keys, Home and End move between rows.
   */
  renderOpener?: (row: Row, content: ReactNode, className: string) => ReactNode
  /** Key of the row whose details are open. */
  openKey?: string | undefined
  /** A row on a phone, instead of the columns. */
  card?: (row: Row) => ReactNode
  /** Lower rows and a header that stays in view, for lists that people scan. */
  isDense?: boolean
}

const ROW_HEIGHT = 47
const DENSE_ROW_HEIGHT = 39
const estimateSize = (): number => ROW_HEIGHT
const estimateDenseSize = (): number => DENSE_ROW_HEIGHT
/** Short lists are laid out by their content, whatever is loaded. */
const MIN_FIXED_ROWS = 100
const OPENER = '[data-opener] > a, [data-opener] > button'
const stickyClass =
  'sticky top-15 z-10 bg-paper [&_th:first-child]:rounded-ss-card [&_th:last-child]:rounded-se-card'
const openerClass =
  'inline-flex min-h-6 max-w-full items-center rounded-md font-medium before:absolute before:inset-0 before:content-[""] focus-visible:outline-offset-4'

/** A table that renders only the visible rows, so that lists of any length stay fast. */
export const Table = <Row,>(props: Props<Row>) => {
  const {
    label,
    rows,
    firstIndex = 0,
    onMissing,
    rowKey,
    renderOpener,
    openKey,
    card,
    isDense = false,
  } = props
  const isPhone = useMedia(MEDIA.phone)
  const cardColumns = useMemo(
    (): Column<Row>[] | undefined => card && [{ id: 'card', header: label, isFluid: true, cell: card }],
    [card, label],
  )
  const isCards = isPhone && cardColumns !== undefined
  const columns = isCards ? cardColumns : props.columns
  const [sorting, setSorting] = useState<Sorting | null>(null)
  const body = useRef<HTMLTableSectionElement>(null)
  const [offset, setOffset] = useState(0)
  const [, renderAgain] = useReducer((renders: number) => renders + 1, 0)
  useLayoutEffect(() => {
    const top = (body.current?.getBoundingClientRect().top ?? 0) + window.scrollY
    setOffset(top)
  }, [])
  const sorted = sortRows(rows, columns, sorting)
  const count = firstIndex + sorted.length
  const virtualizer = useWindowVirtualizer({
    count,
    estimateSize: isDense && !isPhone ? estimateDenseSize : estimateSize,
    overscan: 8,
    scrollMargin: offset,
    // Rendering inside the scroll event would add its time to that of the layout.
    useFlushSync: false,
  })
  const items = virtualizer.getVirtualItems()
  const { table, widths } = useFixedColumns(count >= MIN_FIXED_ROWS)
  const firstShown = items[0]?.index ?? firstIndex
  useEffect(() => {
    if (firstShown < firstIndex) onMissing?.(firstShown)
  })
  const before = (items[0]?.start ?? offset) - offset
  const after = virtualizer.getTotalSize() - ((items.at(-1)?.end ?? offset) - offset)

  const focusIndex = useRef<number | null>(null)
  // The row may have to be loaded and rendered first.
  useEffect(() => {
    if (focusIndex.current === null) return
    const opener = body.current?.querySelector<HTMLElement>(
      `[data-index="${focusIndex.current}"] :is(${OPENER})`,
    )
    if (!opener) return
    focusIndex.current = null
    opener.focus({ preventScroll: true })
  })
  const focusRow = (index: number): void => {
    focusIndex.current = index
    virtualizer.scrollToIndex(index, { align: 'auto' })
    renderAgain()
  }
  const openIndex = openKey === undefined ? -1 : sorted.findIndex(row => rowKey(row) === openKey)
  const showOpen = useEffectEvent(() => {
    if (openIndex >= 0) virtualizer.scrollToIndex(firstIndex + openIndex, { align: 'auto' })
  })
  // The open row changes by stepping through the details, too.
  useEffect(() => {
    if (openKey !== undefined) showOpen()
  }, [openKey])
  const onKeyDown = (event: KeyboardEvent): void => {
    const row = (event.target as HTMLElement).closest<HTMLElement>('[data-index]')
    const next = row && nextIndex(event.key, Number(row.dataset.index), count)
    if (next === null || next === undefined) return
    event.preventDefault()
    focusRow(next)
  }
  return (
    <table
      ref={table}
      aria-label={label}
      aria-rowcount={count + 1}
      className={cx('w-full border-collapse text-sm', widths && 'table-fixed wrap-anywhere')}
      onKeyDown={onKeyDown}
    >
      {widths && (
        <colgroup>
          {widths.map((width, n) => (
            <col key={n} style={{ width }} />
          ))}
        </colgroup>
      )}
      <thead className={cx(isCards ? 'sr-only' : isDense && stickyClass)}>
        <tr aria-rowindex={1}>
          {columns.map(column => (
            <HeaderCell
              key={column.id}
              column={column}
              sorting={sorting}
              onSort={() => setSorting(toggleSorting(sorting, column.id))}
            />
          ))}
        </tr>
      </thead>
      <tbody ref={body}>
        <Spacer height={before} span={columns.length} />
        {items.map(({ index }) => {
          const row = sorted[index - firstIndex]
          return row === undefined ? (
            <MissingRow key={index} index={index} span={columns.length} />
          ) : (
            <TableRow<Row>
              key={rowKey(row)}
              measure={virtualizer.measureElement}
              index={index}
              row={row}
              columns={columns}
              renderOpener={renderOpener}
              isOpen={rowKey(row) === openKey}
              isDense={isDense && !isPhone}
            />
          )
        })}
        <Spacer height={after} span={columns.length} />
      </tbody>
    </table>
  )
}

type RowProps<Row> = {
  measure: (element: HTMLTableRowElement | null) => void
  index: number
  row: Row
  columns: readonly Column<Row>[]
  renderOpener: Props<Row>['renderOpener']
  isOpen: boolean
  isDense: boolean
}

const PlainRow = <Row,>({ measure, index, row, columns, renderOpener, isOpen, isDense }: RowProps<Row>) => {
  const isCard = columns.length === 1
  return (
    <tr
      ref={measure}
      data-index={index}
      aria-rowindex={index + 2}
      aria-current={isOpen || undefined}
      className={cx(
        'relative border-t border-line',
        isCard && 'first:border-t-0',
        renderOpener && 'hover:bg-hover',
        isOpen && 'bg-hover',
      )}
    >
      {columns.map((column, n) => (
        <td
          key={column.id}
          {...(n === 0 && renderOpener && { 'data-opener': true })}
          className={cx(cellClass(column), isDense ? 'py-1.75 whitespace-nowrap' : 'py-3')}
        >
          {n === 0 && renderOpener
            ? renderOpener(row, column.cell(row), cx(openerClass, isCard && 'w-full'))
            : column.cell(row)}
        </td>
      ))}
    </tr>
  )
}
/** Scrolling renders only the rows that come into view, if `columns` and `renderOpener` are the same objects each time. */
const TableRow = memo(PlainRow) as typeof PlainRow

const cellClass = <Row,>({ align, isWide, isFluid }: Column<Row>): string =>
  cx(
    'px-3 first:ps-4.5 last:pe-4.5 md:first:ps-5 md:last:pe-5',
    align === 'end' ? 'text-end' : 'text-start',
    isWide && 'max-md:hidden',
    isFluid && 'w-1/2 max-w-0',
  )

const nextIndex = (key: string, index: number, count: number): number | null => {
  if (key === 'ArrowDown') return Math.min(index + 1, count - 1)
  if (key === 'ArrowUp') return Math.max(index - 1, 0)
  if (key === 'Home') return 0
  if (key === 'End') return count - 1
  return null
}

/** A released row, until it is loaded again. */
const MissingRow = ({ index, span }: { index: number; span: number }) => (
  <tr data-index={index} aria-rowindex={index + 2} className="border-t border-line">
    <td colSpan={span} className="px-5" style={{ height: ROW_HEIGHT - 1 }}>
      <span className="shimmer block h-3.5 w-40 rounded-md" />
    </td>
  </tr>
)

/** Takes the place of rows that are not rendered. */
const Spacer = ({ height, span }: { height: number; span: number }) =>
  height > 0 ? (
    <tr aria-hidden="true">
      <td colSpan={span} style={{ height }} />
    </tr>
  ) : null

type HeaderProps<Row> = { column: Column<Row>; sorting: Sorting | null; onSort: () => void }

const HeaderCell = <Row,>({ column, sorting, onSort }: HeaderProps<Row>) => {
  const direction = sorting?.column === column.id ? sorting.direction : null
  const Icon = direction === 'descending' ? ArrowDown : ArrowUp
  return (
    <th
      scope="col"
      aria-sort={column.sortBy ? (direction ?? 'none') : undefined}
      className={cx(cellClass(column), 'py-2.5 text-xs font-medium text-muted')}
    >
      {column.sortBy ? (
        <button
          type="button"
          onClick={onSort}
          className="inline-flex min-h-6 items-center gap-1 rounded-md hover:text-ink max-md:min-h-11"
        >
          {column.header}
          <Icon className={cx('size-3.5', direction === null && 'opacity-0')} aria-hidden="true" />
        </button>
      ) : (
        <span className={cx(column.isHeaderWide && 'max-md:sr-only')}>{column.header}</span>
      )}
    </th>
  )
}

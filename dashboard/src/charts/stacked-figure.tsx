import { useState } from 'react'
import { Button } from '../ui/button.tsx'
import { cx } from '../ui/cx.ts'
import type { Point, Series } from './series.ts'
import { StackedBars } from './stacked-bars.tsx'

type Props<Key extends string> = {
  label: string
  points: readonly Point<Key>[]
  /** From bottom to top. */
  series: readonly Series<Key>[]
  /** Heading of the first column of the table. */
  timeLabel: string
  formatTime: (at: string) => string
}

/** Stacked bars with their legend. The same figures are available as a table. */
export const StackedFigure = <Key extends string>(props: Props<Key>) => {
  const [isTable, setTable] = useState(false)
  return (
    <figure className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-3" aria-label={props.label}>
      {isTable ? <FiguresTable {...props} /> : <StackedBars {...props} />}
      <figcaption className="flex flex-wrap items-center gap-x-4 gap-y-1 text-xs text-muted">
        {props.series.map(({ key, label, fill }) => (
          <span key={key} className="inline-flex items-center gap-1.5">
            <i className={cx('size-2 rounded-[3px]', fill)} aria-hidden="true" />
            {label}
          </span>
        ))}
        <Button kind="quiet" size="sm" className="ms-auto" onClick={() => setTable(!isTable)}>
          {isTable ? 'Show as chart' : 'Show as table'}
        </Button>
      </figcaption>
    </figure>
  )
}

const FiguresTable = <Key extends string>({ label, points, series, timeLabel, formatTime }: Props<Key>) => (
  <div className="max-h-60 overflow-auto" tabIndex={0} role="region" aria-label={`${label}, table`}>
    <table className="w-full text-sm">
      <thead className="text-xs text-muted">
        <tr>
          <th scope="col" className="py-1.5 pe-3 text-start font-medium">
            {timeLabel}
          </th>
          {series.map(({ key, label: name }) => (
            <th key={key} scope="col" className="px-3 py-1.5 text-end font-medium">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {points.map(point => (
          <tr key={point.at} className="border-t border-line">
            <th scope="row" className="py-1.5 pe-3 text-start font-normal whitespace-nowrap">
              {formatTime(point.at)}
            </th>
            {series.map(({ key }) => (
              <td key={key} className="px-3 py-1.5 text-end">
                {point[key].toLocaleString()}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

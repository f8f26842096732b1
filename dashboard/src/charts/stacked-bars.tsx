import { memo, type PointerEvent, useState } from 'react'
import { cx } from '../ui/cx.ts'
import { axisEnd, tickPositions } from './axis.ts'
import type { Point, Series } from './series.ts'

type Props<Key extends string> = {
  points: readonly Point<Key>[]
  /** From bottom to top. */
  series: readonly Series<Key>[]
  formatTime: (at: string) => string
}

const totalOf = <Key extends string>(point: Point<Key>, series: readonly Series<Key>[]): number =>
  series.reduce((sum, { key }) => sum + point[key], 0)

/** The part of the axis in which a label does not fit. */
const EDGE = 0.04

/** One stacked bar per period. Screen readers get the table of the figure instead. */
export const StackedBars = <Key extends string>({ points, series, formatTime }: Props<Key>) => {
  const [active, setActive] = useState<number | null>(null)
  const end = axisEnd(Math.max(...points.map(point => totalOf(point, series))))
  const follow = ({ clientX, currentTarget }: PointerEvent): void => {
    const { left, width } = currentTarget.getBoundingClientRect()
    const position = Math.floor(((clientX - left) / width) * points.length)
    setActive(Math.min(points.length - 1, Math.max(0, position)))
  }
  const chosen = active === null ? undefined : points[active]
  return (
    <div
      aria-hidden="true"
      className="grid h-60 grid-cols-[auto_minmax(0,1fr)] grid-rows-[minmax(0,1fr)_auto] gap-x-2.5 text-xs text-muted"
    >
      <div className="-my-2 flex flex-col justify-between text-end">
        {[end, end / 2, 0].map(value => (
          <span key={value}>{value.toLocaleString()}</span>
        ))}
      </div>
      <div
        className="relative touch-pan-y"
        onPointerDown={follow}
        onPointerMove={follow}
        onPointerLeave={() => setActive(null)}
      >
        <div className="absolute inset-0 flex flex-col justify-between">
          {[end, end / 2, 0].map(value => (
            <span key={value} className="border-t border-line" />
          ))}
        </div>
        {active !== null && (
          <span
            className="absolute inset-y-0 bg-hover"
            style={{ left: share(active, points.length), width: share(1, points.length) }}
          />
        )}
        <Bars points={points} series={series} end={end} />
        {chosen && active !== null && (
          <Tooltip
            point={chosen}
            series={series}
            title={formatTime(chosen.at)}
            left={share(active + 0.5, points.length)}
            isOnLeft={active > points.length / 2}
          />
        )}
      </div>
      <div />
      <Ticks points={points} formatTime={formatTime} />
    </div>
  )
}

const share = (part: number, whole: number): string => `${(part / whole) * 100}%`

type BarsProps = { points: readonly Point[]; series: readonly Series[]; end: number }

const Bars = memo(({ points, series, end }: BarsProps) => (
  <div className="relative flex h-full">
    {points.map(point => (
      <div key={point.at} className="h-full min-w-0 flex-1">
        <div className="mx-auto flex h-full w-4/5 max-w-12 flex-col-reverse overflow-hidden">
          {series.map(
            ({ key, fill }) =>
              (point[key] ?? 0) > 0 && (
                <i
                  key={key}
                  data-series={key}
                  // At least visible, however few calls it stands for.
                  className={cx('block min-h-0.5', fill)}
                  style={{ height: share(point[key] ?? 0, end) }}
                />
              ),
          )}
        </div>
      </div>
    ))}
  </div>
))

type TooltipProps<Key extends string> = {
  point: Point<Key>
  series: readonly Series<Key>[]
  title: string
  left: string
  isOnLeft: boolean
}

const Tooltip = <Key extends string>({ point, series, title, left, isOnLeft }: TooltipProps<Key>) => (
  <div
    className={cx(
      'pointer-events-none absolute top-2 z-10 grid min-w-36 gap-1.5 rounded-xl bg-raised px-3 py-2.5 text-ink shadow-popup',
      isOnLeft ? '-translate-x-full -ms-3' : 'ms-3',
    )}
    style={{ left }}
  >
    <p className="flex justify-between gap-4 font-medium">
      <span>{title}</span>
      <span>{totalOf(point, series).toLocaleString()}</span>
    </p>
    {series.map(({ key, label, fill }) => (
      <p key={key} className="flex items-center gap-1.5 text-muted">
        <i className={cx('size-2 rounded-[3px]', fill)} />
        {label}
        <span className="ms-auto ps-4 text-ink">{point[key].toLocaleString()}</span>
      </p>
    ))}
  </div>
)

const Ticks = <Key extends string>({ points, formatTime }: Pick<Props<Key>, 'points' | 'formatTime'>) => (
  <div className="relative mt-1.5 h-4 overflow-x-clip">
    {tickPositions(points.map(({ at }) => at))
      // A label at an end would be cut off.
      .filter(n => n / points.length > EDGE && n / points.length < 1 - EDGE)
      .map(n => (
        <span
          key={n}
          className="absolute -translate-x-1/2 whitespace-nowrap"
          style={{ left: share(n + 0.5, points.length) }}
        >
          {formatTime(points[n]?.at ?? '')}
        </span>
      ))}
  </div>
)

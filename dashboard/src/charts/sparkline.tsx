type Props = { label: string; values: readonly number[] }

const [WIDTH, HEIGHT] = [120, 28]

/** The shape of a series, without axes. Its label states the range. */
export const Sparkline = ({ label, values }: Props) => {
  const max = Math.max(1, ...values)
  const points = values.map(
    (value, n) =>
      `${(n / Math.max(1, values.length - 1)) * WIDTH},${HEIGHT - 2 - (value / max) * (HEIGHT - 4)}`,
  )
  return (
    <svg
      role="img"
      aria-label={`${label}: from ${Math.min(...values).toLocaleString()} to ${Math.max(...values).toLocaleString()}`}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      className="h-7 w-full"
    >
      <polyline
        points={points.join(' ')}
        fill="none"
        stroke="var(--fill-success)"
        strokeWidth="1.5"
        vectorEffect="non-scaling-stroke"
        strokeLinejoin="round"
      />
    </svg>
  )
}

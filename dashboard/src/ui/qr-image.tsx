import { encodeQr } from '@carabiner/contract/qr'

const QUIET_ZONE = 4

/** Dark on white in both themes, because many scanners do not read inverted codes. */
export const QrImage = ({ text, label }: { text: string; label: string }) => {
  const code = encodeQr(text)
  if (!code) return null
  const size = code.length + QUIET_ZONE * 2
  const path = code
    .flatMap((row, y) =>
      row.map((isDark, x) => (isDark ? `M${x + QUIET_ZONE} ${y + QUIET_ZONE}h1v1h-1z` : '')),
    )
    .join('')
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      className="size-44 rounded-lg"
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}

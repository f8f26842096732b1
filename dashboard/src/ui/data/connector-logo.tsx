import type { Connector } from '@carabiner/sdk'
import type { CSSProperties } from 'react'
import { cx } from '../cx.ts'

type Props = {
  /** Undefined while it is loaded, and if it does not exist any more. */
  connector: Pick<Connector, 'logo_url' | 'tile'> | undefined
}

/** The logo, or letters on a color, as in Link. It is decoration: the name stands beside it. */
export const ConnectorLogo = ({ connector }: Props) =>
  connector?.logo_url ? (
    <img
      src={new URL(connector.logo_url).pathname}
      alt=""
      width={32}
      height={32}
      loading="lazy"
      className="size-8 shrink-0 rounded-lg border border-line bg-paper object-contain"
    />
  ) : (
    <span
      aria-hidden="true"
      className={cx(
        'grid size-8 shrink-0 place-items-center rounded-lg text-sm font-semibold',
        connector ? 'connector-tile' : 'bg-hover',
      )}
      style={{ '--hue': connector?.tile.hue } as CSSProperties}
    >
      {connector?.tile.letters}
    </span>
  )

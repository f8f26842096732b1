import { useConnectorName } from '../../api/use-connectors.ts'

/** Names of connectors, with their slugs on hover. */
export const ConnectorNames = ({ slugs }: { slugs: readonly string[] }) => {
  const nameOf = useConnectorName()
  return <span title={slugs.join(', ')}>{slugs.map(nameOf).join(', ')}</span>
}

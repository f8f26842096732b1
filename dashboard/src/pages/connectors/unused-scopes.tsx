import { useApiQuery } from '../../api/use-api-query.ts'

/** The scopes of a connector that users have granted and that no call has needed for 30 days. */
export const UnusedScopes = ({ slug }: { slug: string }) => {
  const { data } = useApiQuery(['connectors', 'unused-scopes'], (api, options) =>
    api.connectors.unusedScopes(options),
  )
  const found = data?.find(({ connector_slug: connector }) => connector === slug)
  if (!found) return null
  return (
    <section className="grid gap-2.5 rounded-card border border-line p-4">
      <h3 className="text-sm font-semibold">Permissions not used for 30 days</h3>
      <ul className="grid gap-2 text-sm">
        {found.scopes.map(({ name, title, credentials, tools }) => (
          <li key={name} className="grid gap-0.5">
            <span className="flex flex-wrap gap-x-2">
              <span className="font-medium">{title ?? name}</span>
              <code className="font-mono text-xs text-muted wrap-anywhere">{name}</code>
            </span>
            <span className="text-xs text-muted wrap-anywhere">
              {credentials.toLocaleString()} {credentials === 1 ? 'connection' : 'connections'}, for{' '}
              {tools.join(', ')}
            </span>
          </li>
        ))}
      </ul>
      <p className="text-xs text-muted">
        To ask for less, remove these tools from your Tool Packs, or narrow the scopes of the OAuth app. It
        applies from each user’s next link on.
      </p>
    </section>
  )
}

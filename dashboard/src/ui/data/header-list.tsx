/** HTTP headers by name, one per line. */
export const HeaderList = ({
  label,
  headers,
}: {
  label: string
  headers: Readonly<Record<string, string>>
}) => (
  <dl
    aria-label={label}
    className="grid grid-cols-[minmax(0,max-content)_minmax(0,1fr)] gap-x-3 rounded-popup border border-line bg-ground px-3.5 py-2.5 font-mono text-xs leading-5"
  >
    {Object.keys(headers)
      .toSorted()
      .map(name => (
        <div key={name} className="contents">
          <dt className="text-muted">{name}</dt>
          <dd className="wrap-anywhere">{headers[name]}</dd>
        </div>
      ))}
  </dl>
)

/** The logo that Link shows, or letters. It is decoration: the name stands beside it. */
export const ConnectorLogo = ({ name, url }: { name: string; url: string | null }) =>
  url ? (
    <img
      src={new URL(url).pathname}
      alt=""
      width={32}
      height={32}
      loading="lazy"
      className="size-8 shrink-0 rounded-lg border border-line bg-paper object-contain"
    />
  ) : (
    <span
      aria-hidden="true"
      className="grid size-8 shrink-0 place-items-center rounded-lg bg-info-soft text-xs font-semibold text-info"
    >
      {name.slice(0, 2).toUpperCase()}
    </span>
  )

import { useCycle } from '../pages/usage/use-usage.ts'
import { PageLink } from '../ui/page-link.tsx'

const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'long' })

/** Shown on every page while the plan has no calls left. */
export const LimitBanner = () => {
  const { data } = useCycle()
  if (data?.left !== 0 || data.limit === null) return null
  return (
    <div role="status" className="mx-4 mb-4 rounded-card bg-bad-soft px-4 py-3 text-sm text-bad md:mx-8">
      <p>
        <b className="font-semibold">You have used all {data.limit.toLocaleString()} calls of your plan.</b>{' '}
        Production tool calls fail until {day.format(new Date(data.ends_at))}. Everything else keeps working.{' '}
        <PageLink path="/usage" className="font-medium underline">
          See usage
        </PageLink>
      </p>
    </div>
  )
}

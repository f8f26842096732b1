import type { Page } from 'playwright-core'
import type { TestService } from '../../../server/test/support/test-service.ts'
import { type Dashboard, loaded } from '../../support/dashboard.ts'
import { type PageHealth, watchPage } from '../../support/page-health.ts'
import type { Scope } from './scope.ts'

export type LongList = { health: PageHealth; rows: number; isEnd: boolean }

const uuidOf = (n: string): string => `lpad(to_hex((${n})::bigint), 32, '0')::uuid`
/** Calls of the last 20 hours, so that the default period of the page contains all of them. */
const SPREAD = `interval '20 hours'`
const CALLERS = 2_000

/** Users and calls, written in bulk. */
export const seedLists = async (t: TestService, size: number): Promise<void> => {
  const { db } = t.service.features
  await db.script(`set statement_timeout = 0;
    insert into registered_users (organization_id, id, mode, origin_user_id, origin_user_name, email, data_key)
    select '${t.organization.id}', ${uuidOf('n')}, 'production', 'listed-' || n, 'Listed user ' || n, 'user' || n || '@orbit.example',
      sha256(n::text::bytea)
    from generate_series(1, ${size}) n;
    set session_replication_role = replica;
    insert into tool_calls (organization_id, id, registered_user_id, tool_pack_id, mode, connector_slug, tool, outcome, error_code, counted,
      request_id, started_at, finished_at, third_party_ms, gateway_ms, rules_ms, retention_days)
    select o.id, ${uuidOf('n')}, ${uuidOf(`1 + n % ${CALLERS}`)}, p.id, 'production', 'sandbox-notes',
      (array['list_notes', 'create_note', 'search_notes'])[1 + n % 3], case when n % 20 = 0 then 'error' else 'success' end,
      case when n % 20 = 0 then 'third_party_error' end, n % 20 > 0, 'req_listed' || n, at, at, 12 + n % 50, 3, 0.4, o.retention_days
    from generate_series(1, ${size}) n, admission_organizations o, tool_packs p,
      lateral (select app_now() - ${SPREAD} * (1 - n::float8 / ${size}) as at) t
    where o.id = '${t.organization.id}' and p.organization_id = o.id and p.is_default;
    set session_replication_role = default;
    analyze registered_users; analyze tool_calls`)
}

/** Five rows per frame, 300 a second: faster than a wheel or a swipe. */
const SCROLL = `new Promise(resolve => {
  const table = document.querySelector('table')
  const steps = 30
  let step = 0
  const scroll = () => {
    window.scrollBy(0, 240)
    if (++step < steps) return requestAnimationFrame(scroll)
    const isEnd = window.scrollY + window.innerHeight >= document.documentElement.scrollHeight - 2
    resolve({ rows: Number(table.getAttribute('aria-rowcount')) - 1, isEnd, hasMore: table.nextElementSibling !== null })
  }
  requestAnimationFrame(scroll)
})`

type Scrolled = { rows: number; isEnd: boolean; hasMore: boolean }
/** Lets the number of rows settle and the compilers warm up. */
const WARM_UP_MS = 20_000
const HEAP_SAMPLE_MS = 5_000

const scrollFor = async (page: Page, ms: number): Promise<Scrolled> => {
  const endsAt = performance.now() + ms
  for (;;) {
    const found = await page.evaluate<Scrolled>(SCROLL)
    if (performance.now() >= endsAt || (found.isEnd && !found.hasMore)) return found
  }
}

/** Scrolls from the top for a bounded time, and loads page after page on the way. */
export const scrollList = async (
  dashboard: Dashboard,
  scope: Scope,
  { path, seconds, onProgress }: { path: string; seconds: number; onProgress: (rows: number) => void },
): Promise<LongList> => {
  const { page, open } = await dashboard.visit(scope)
  await open(path)
  await loaded(page)
  let found = await scrollFor(page, WARM_UP_MS)
  const watch = await watchPage(page)
  const endsAt = performance.now() + seconds * 1000
  let reported = 0
  while (performance.now() < endsAt && (found.hasMore || !found.isEnd)) {
    await watch.measureHeap()
    await watch.countNodes()
    found = await scrollFor(page, HEAP_SAMPLE_MS)
    if (found.rows >= reported + 5_000) {
      reported = found.rows
      onProgress(found.rows)
    }
  }
  await watch.countNodes()
  await watch.measureHeap()
  return { health: await watch.end(), rows: found.rows, isEnd: !found.hasMore }
}

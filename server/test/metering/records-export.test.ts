import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { parseRecordFilter } from '../../src/features/metering/records/record-filter.ts'
import { createPageReader } from '../../src/features/metering/records/record-page-store.ts'
import { readPrimary } from '../../src/platform/database/read-database.ts'
import { type RecordedCalls, startRecordedCalls } from '../support/recorded-calls.ts'
import { joinTestService, type TestOrganization, type TestService } from '../support/test-service.ts'

const ROWS = 20_000

describe('the export of tool calls', () => {
  let t: TestService
  let r: RecordedCalls
  let organization: TestOrganization
  let userId: string
  /** Number of pages read from the database. */
  let pages = 0
  let failAt = Number.POSITIVE_INFINITY
  before(async () => {
    t = await joinTestService()
    r = await startRecordedCalls(t)
    organization = await r.open('Exported')
    userId = (await t.createUser({}, organization.key)).id
    await r.fill(organization, userId, ROWS)
    const { db } = t.service.features
    const transaction = db.transaction.bind(db)
    db.transaction = async work => {
      if (++pages === failAt) throw new Error('the database is gone')
      return transaction(work)
    }
  })
  after(async () => {
    await t.stop()
    await r.server.close()
  })
  const path = (query: string) => `/api/v1/tool-calls/export${query}`
  const exported = async (query: string) => {
    pages = 0
    const headers = { authorization: `Bearer ${organization.key}` }
    const response = await fetch(t.baseUrl + path(query), { headers })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }

  it('contains every record once, in order, as JSON lines and as CSV', async () => {
    const { status, headers, text } = await exported('')
    assert.equal(status, 200)
    assert.match(headers.get('content-type') ?? '', /ndjson/)
    assert.match(headers.get('content-disposition') ?? '', /attachment; filename="tool-calls\.jsonl"/)
    const lines = text.trimEnd().split('\n')
    assert.equal(lines.length, ROWS)
    assert.deepEqual(
      [0, 1, ROWS - 1].map(at => JSON.parse(lines[at] as string).request_id),
      ['req_1', 'req_2', `req_${ROWS}`],
    )
    const csv = (await exported('?format=csv')).text.trimEnd().split('\r\n')
    assert.equal(csv.length, ROWS + 1)
    assert.match(csv[0] as string, /^id,started_at,finished_at,registered_user_id,/)
    assert.equal(new Set(csv).size, ROWS + 1)
    assert.equal((await exported(`?request_id=req_77`)).text.trimEnd().split('\n').length, 1)
    assert.equal((await exported('?tool=theirs__nothing')).text, '')
  })

  it('applies backpressure: a paused reader limits the pages read ahead', async () => {
    pages = 0
    const url = new URL(path(''), t.baseUrl)
    const request = get(url, { headers: { authorization: `Bearer ${organization.key}` } })
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    response.pause()
    let earlier = -1
    while (earlier !== pages) {
      earlier = pages
      await delay(100)
    }
    assert.ok(pages > 0 && pages < ROWS / 1000, `${pages} pages were read ahead`)
    let bytes = 0
    for await (const chunk of response) bytes += (chunk as Buffer).length
    assert.ok(bytes > ROWS * 400)
    assert.ok(pages >= ROWS / 1000)
  })

  it('stops when the client disconnects', async () => {
    pages = 0
    const request = get(new URL(path(''), t.baseUrl), {
      headers: { authorization: `Bearer ${organization.key}` },
    })
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    response.destroy()
    await delay(300)
    const until = pages
    assert.ok(until < ROWS / 1000)
    await delay(200)
    assert.equal(pages, until)
  })

  it('reports an interruption in its last line', async () => {
    for (const format of ['jsonl', 'csv']) {
      failAt = 3
      const { status, text } = await exported(`?format=${format}`)
      failAt = Number.POSITIVE_INFINITY
      assert.equal(status, 200)
      const lines = text.trimEnd().split(/\r?\n/)
      assert.equal(lines.length, format === 'csv' ? 2002 : 2001)
      const last = lines.at(-1) as string
      if (format === 'csv') assert.match(last, /^error,internal_error,.*,req_/)
      else assert.equal(JSON.parse(last).error.code, 'internal_error')
      assert.doesNotMatch(last, /database is gone/)
    }
  })

  it('escapes values that a spreadsheet would evaluate as formulas', async () => {
    await r.act(organization, userId, {}, { headers: { 'X-Note': '=HYPERLINK("http://x","y")' } })
    await t.query(`update tool_calls set tool = $2 where organization_id = $1 and request_id = 'req_1'`, [
      organization.id,
      '=cmd|x,"y"',
    ])
    const { text } = await exported('?format=csv&request_id=req_1')
    assert.match(text, /,"'=cmd\|x,""y""",/)
  })

  it('a filter without an index scans a bounded number of records per page, with a cursor', async () => {
    const { db } = t.service.features
    await t.query(
      `update tool_calls set tool_pack_id = $2 where organization_id = $1 and request_id in ('req_7', 'req_950')`,
      [organization.id, userId],
    )
    const owner = { organizationId: organization.id, mode: 'production' } as const
    const filter = parseRecordFilter({ tool_pack_id: userId })
    const readPage = createPageReader(100)
    const found: string[] = []
    let empty = 0
    let from = null
    let requested = 0
    do {
      const page: Awaited<ReturnType<typeof readPage>> = await readPage(
        readPrimary(db),
        owner,
        filter,
        from,
        10,
      )
      found.push(...page.rows.map(row => row.requestId))
      if (page.rows.length === 0) empty++
      from = page.next
    } while (from && ++requested < 300)
    assert.deepEqual(found, ['req_7', 'req_950'])
    assert.ok(empty > 150, `${empty} empty pages`)
    assert.equal(from, null)
  })
})

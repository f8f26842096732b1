import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'

// Imported through a variable, because the tests are compiled without the browser types that the module uses.
const source: string = '../src/create-approval.ts'
const { createApproval, reportApproval } = await import(source)
type ApprovalOutcome = { approvalId: string; status: string }

/** Windows and addresses are stand-ins; the channel is the one of Node. The e2e test of the chat example uses a real browser. */
let opened: { url: string; name: string; closed: boolean; focused: number }[]
let blocked: boolean
let wasClosed: boolean
beforeEach(() => {
  opened = []
  blocked = wasClosed = false
  Object.assign(globalThis, {
    location: { search: '' },
    open: (url: string, name: string) => {
      if (blocked) return null
      const shown = { url, name, closed: false, focused: 0 }
      opened.push(shown)
      return Object.assign(shown, { focus: () => shown.focused++, close: () => (shown.closed = true) })
    },
    close: () => {
      wasClosed = true
    },
  })
})
const open: { destroy: () => void }[] = []
afterEach(() => {
  for (const approval of open.splice(0)) approval.destroy()
})

const create = (approvalId: string) => {
  let resolve: (outcome: ApprovalOutcome) => void
  const decided = new Promise<ApprovalOutcome>(set => {
    resolve = set
  })
  const outcomes: ApprovalOutcome[] = []
  const approval = createApproval({
    approvalId,
    url: `/approve/${approvalId}`,
    onDecided: (outcome: ApprovalOutcome) => {
      outcomes.push(outcome)
      resolve(outcome)
    },
  })
  open.push(approval)
  return { approval, decided, outcomes }
}
const report = (search: string) => {
  ;(globalThis as { location?: { search: string } }).location = { search }
  return reportApproval()
}

test('createApproval: the report of the last page reaches the approval that it is about, once, and both windows close', async () => {
  const one = create('a1')
  const other = create('a2')
  one.approval.open()
  report('?approval_id=a1&status=approved&code=x')
  assert.deepEqual(await one.decided, { approvalId: 'a1', status: 'approved' })
  assert.equal(opened[0]?.closed, true)
  assert.equal(wasClosed, true)
  report('?approval_id=a1&status=denied')
  report('?approval_id=a2&status=denied')
  assert.deepEqual(await other.decided, { approvalId: 'a2', status: 'denied' })
  assert.equal(one.outcomes.length, 1)
})

test('createApproval: opens one window, brings it back, replaces a closed one, and reports a blocked one', () => {
  const { approval } = create('b1')
  assert.equal(approval.open(), true)
  assert.equal(approval.open(), true)
  assert.deepEqual([opened.length, opened[0]?.focused], [1, 1])
  ;(opened[0] as { closed: boolean }).closed = true
  assert.equal(approval.open(), true)
  assert.equal(opened.length, 2)
  blocked = true
  assert.equal(create('b2').approval.open(), false)
})

test('createApproval: nothing is reported after destroy', async () => {
  const { approval, outcomes } = create('c1')
  const last = create('c2')
  approval.destroy()
  report('?approval_id=c1&status=approved')
  report('?approval_id=c2&status=approved')
  await last.decided
  assert.deepEqual(outcomes, [])
})

test('reportApproval: an address without approval_id or status reports nothing and leaves the window open', () => {
  assert.equal(report('?status=approved'), null)
  assert.equal(report('?approval_id=a1'), null)
  assert.equal(wasClosed, false)
})

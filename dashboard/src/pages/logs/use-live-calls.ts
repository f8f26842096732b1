import type { ToolCallFilter } from '@carabiner/sdk'
import { startTransition, useEffect, useRef, useState } from 'react'
import { useApi } from '../../api/use-api.ts'
import { matchesFilter } from './call-filter.ts'
import { type CallRow, rowOfEvent, rowOfRecord } from './call-row.ts'

/** Rows that stay in memory. Older ones are in the list. */
export const MAX_LIVE_ROWS = 500
/** Arrivals are shown together, so that many calls per second cost few renderings. */
const SHOW_EVERY_MS = 500
/** The stream does not report calls that need a connection. */
const POLL_EVERY_MS = 3_000

export type LiveCalls = {
  rows: CallRow[]
  /** Calls that have arrived since the tail was paused. */
  waiting: number
  isConnected: boolean
  error: unknown
}

const NOTHING: LiveCalls = { rows: [], waiting: 0, isConnected: false, error: null }

/** Calls as they end, newest first. While it is paused, arrivals are counted and held back. */
export const useLiveCalls = (filter: ToolCallFilter, isOn: boolean, isPaused: boolean): LiveCalls => {
  const { api } = useApi()
  const [state, setState] = useState<LiveCalls>(NOTHING)
  const paused = useRef(isPaused)
  paused.current = isPaused
  const key = JSON.stringify(filter)
  useEffect(() => {
    if (!isOn) return
    const controller = new AbortController()
    const { signal } = controller
    const wanted = JSON.parse(key) as ToolCallFilter
    const since = new Date().toISOString()
    const seen = new Set<string>()
    let arrived: CallRow[] = []
    let count = 0
    setState(NOTHING)
    const add = (row: CallRow | null): void => {
      if (!row || seen.has(row.id) || !matchesFilter(wanted, row)) return
      seen.add(row.id)
      // IDs repeat only shortly after each other, so a bounded set is enough.
      if (seen.size > 4 * MAX_LIVE_ROWS) seen.delete(seen.values().next().value as string)
      count++
      arrived.unshift(row)
      if (arrived.length > MAX_LIVE_ROWS) arrived.length = MAX_LIVE_ROWS
    }
    const follow = async (): Promise<void> => {
      const connection = (isConnected: boolean) => () => setState(previous => ({ ...previous, isConnected }))
      const stream = api.events.stream({
        signal,
        onConnect: connection(true),
        onDisconnect: connection(false),
      })
      for await (const event of stream) add(rowOfEvent(event))
    }
    follow().catch((error: unknown) => {
      if (!signal.aborted) setState(previous => ({ ...previous, isConnected: false, error }))
    })
    const show = setInterval(() => {
      if (count === 0) return
      if (paused.current) {
        setState(previous => (previous.waiting === count ? previous : { ...previous, waiting: count }))
        return
      }
      const fresh = arrived
      arrived = []
      count = 0
      // A transition is rendered in slices of a few milliseconds, so that it does not block the page.
      startTransition(() =>
        setState(previous => ({
          ...previous,
          waiting: 0,
          rows: [...fresh, ...previous.rows].slice(0, MAX_LIVE_ROWS),
        })),
      )
    }, SHOW_EVERY_MS)
    const poll = setInterval(() => {
      if (wanted.outcome !== undefined && wanted.outcome !== 'needs_auth') return
      const missing = { ...wanted, outcome: 'needs_auth' as const, since, limit: 100 }
      api.toolCalls
        .list(missing, { signal })
        .page()
        .then(({ data }) => data.toReversed().map(rowOfRecord).forEach(add))
        .catch(() => undefined)
    }, POLL_EVERY_MS)
    return () => {
      controller.abort()
      clearInterval(show)
      clearInterval(poll)
    }
  }, [api, isOn, key])
  return isOn ? state : NOTHING
}

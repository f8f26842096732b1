import { mock } from 'node:test'
import pg from 'pg'

/** The driver's methods that write to the connection. They are internal, so the types do not contain them. */
type Wire = {
  parse: (this: Wire, config: Parsed) => void
  bind: (this: Wire, config: Bound) => void
  query: (this: Wire, text: string) => void
  sync: (this: Wire) => void
}
type Parsed = { name: string; text: string }
type Bound = { statement?: string }

/** The statements of one round trip to PostgreSQL: their names, or the text of one without a name. */
export type RoundTrip = string[]

/**
 * Records what the driver sends in this process. Everything up to a Sync message is one round trip, because PostgreSQL responds to it
 * as a whole.
 */
export const recordRoundTrips = (): { roundTrips: RoundTrip[]; stop: () => void } => {
  const wire = (pg as unknown as { Connection: { prototype: Wire } }).Connection.prototype
  const { parse, bind, query, sync } = wire
  const roundTrips: RoundTrip[] = []
  const pending = new WeakMap<Wire, RoundTrip>()
  const textsWithoutName = new WeakMap<Wire, string>()
  const mocks = [
    mock.method(wire, 'parse', function (this: Wire, config: Parsed) {
      if (!config.name) textsWithoutName.set(this, config.text)
      parse.call(this, config)
    }),
    mock.method(wire, 'bind', function (this: Wire, config: Bound) {
      const name = config.statement || textsWithoutName.get(this) || ''
      pending.set(this, [...(pending.get(this) ?? []), name])
      bind.call(this, config)
    }),
    mock.method(wire, 'sync', function (this: Wire) {
      roundTrips.push(pending.get(this) ?? [])
      pending.delete(this)
      sync.call(this)
    }),
    mock.method(wire, 'query', function (this: Wire, text: string) {
      roundTrips.push([text])
      query.call(this, text)
    }),
  ]
  return {
    roundTrips,
    stop: () => {
      for (const { mock: replaced } of mocks) replaced.restore()
    },
  }
}

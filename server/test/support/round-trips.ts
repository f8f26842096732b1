import { mock } from 'node:test'
import pg from 'pg'

/** The driver's methods that write to the connection. They are internal, so the types do not contain them. */
type Wire = {
  startup: (this: Wire, config: { database: string }) => void
  parse: (this: Wire, config: Parsed) => void
  bind: (this: Wire, config: Bound) => void
  query: (this: Wire, text: string) => void
  sync: (this: Wire) => void
}
type Parsed = { name: string; text: string }
type Bound = { statement?: string }

/** The statements of one round trip to PostgreSQL: their names, or the text of one without a name. */
export type RoundTrip = string[]

const wire = (pg as unknown as { Connection: { prototype: Wire } }).Connection.prototype

/** The database of each connection. Test files share a process, so services of other files may be running in it. */
const databases = new WeakMap<Wire, string>()

/** Called before any connection is opened. */
export const watchConnections = (): void => {
  const { startup } = wire
  wire.startup = function (config) {
    databases.set(this, config.database)
    startup.call(this, config)
  }
}

/**
 * Records what the driver sends to the database of a service. Everything up to a Sync message is one round trip, because PostgreSQL responds to it
 * as a whole.
 */
export const recordRoundTrips = (databaseUrl: string): { roundTrips: RoundTrip[]; stop: () => void } => {
  const database = new URL(databaseUrl).pathname.slice(1)
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
      if (databases.get(this) === database) roundTrips.push(pending.get(this) ?? [])
      pending.delete(this)
      sync.call(this)
    }),
    mock.method(wire, 'query', function (this: Wire, text: string) {
      if (databases.get(this) === database) roundTrips.push([text])
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

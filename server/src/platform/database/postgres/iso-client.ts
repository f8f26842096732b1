import pg from 'pg'

type StartupParameters = Record<string, string>
type ClientInternals = { prototype: { getStartupConf(): StartupParameters } }

/**
 * A connection whose dates are ISO 8601, whatever the database or its role has configured: the driver reads no other format. It is a
 * parameter of the connection, so that a pooler in transaction mode keeps it for every transaction of this client.
 */
export class IsoClient extends pg.Client {
  /** The driver calls this method to build its first message. */
  getStartupConf(): StartupParameters {
    const { prototype } = pg.Client as unknown as ClientInternals
    return { ...prototype.getStartupConf.call(this), DateStyle: 'ISO' }
  }
}

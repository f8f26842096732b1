/**
 * How the revisions of the protocol differ for this endpoint. Each has a file, which contains what it changed in the previous one; the
 * other files do not compare revisions.
 */
export type Revision = {
  name: string
  /** A handshake opens a session, which later requests name. Otherwise every request describes its client itself. */
  hasSessions: boolean
  takesBatches: boolean
  /** HTTP status of the response to a request for an unknown method. */
  unknownMethodStatus: 200 | 404
  /** Closing the connection cancels its requests. Otherwise the client sends a cancellation. */
  cancelsOnDisconnect: boolean
  /** A response may bring notifications that do not belong to its request. */
  notifiesInResponses: boolean
  /** How a response requests that the client opens a URL for its user; null: not at all. */
  urlElicitation: 'error' | 'input_required' | null
  /** Fields of every list. */
  listFields: object
  /** Adds what every result contains. */
  wrapResult: (result: object, meta: object) => object
  /** `wrapResult` for a result that is serialized already. */
  wrapJson: (json: string, meta: object) => string
}

/** A request as it is sent, without the headers that its signature adds. */
export type SignableRequest = {
  method: string
  url: string
  headers: Record<string, string>
  body: string | Uint8Array | null
}

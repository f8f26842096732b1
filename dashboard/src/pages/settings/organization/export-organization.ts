import { sendToDashboard } from '../../../api/call-dashboard.ts'
import { withSession } from '../../../api/installation.ts'

const KEY_BYTES = 48

/** The format of `carabiner org export`: an ID and an AES-256 key. */
export const createArchiveKey = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES))
  const base64 = btoa(String.fromCharCode(...bytes))
  return `carabiner-archive-key-v1:${base64.replaceAll('+', '-').replaceAll('/', '_')}`
}

/** `size`: null until the service has written the archive. */
export type ExportProgress = { received: number; size: number | null }

export const exportOrganization = (
  id: string,
  key: string,
  onProgress: (progress: ExportProgress) => void,
): Promise<Blob> =>
  withSession(async () => {
    onProgress({ received: 0, size: null })
    const response = await sendToDashboard('POST', `/organizations/${id}/export`, { key })
    const size = Number(response.headers.get('content-length'))
    const parts: Uint8Array<ArrayBuffer>[] = []
    let received = 0
    for await (const part of readParts(response)) {
      parts.push(part)
      received += part.length
      onProgress({ received, size })
    }
    return new Blob(parts, { type: 'application/octet-stream' })
  })

async function* readParts({ body }: Response): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const reader = body?.getReader()
  if (!reader) return
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    yield value
  }
}

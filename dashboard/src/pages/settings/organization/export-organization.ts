import { sendToDashboard } from '../../../api/call-dashboard.ts'
import { withSession } from '../../../api/installation.ts'

/** `size`: null until the service has written the file. */
export type ExportProgress = { received: number; size: number | null }

export const exportOrganization = (
  id: string,
  onProgress: (progress: ExportProgress) => void,
): Promise<Blob> =>
  withSession(async () => {
    onProgress({ received: 0, size: null })
    const response = await sendToDashboard('POST', `/organizations/${id}/export`)
    const size = Number(response.headers.get('content-length'))
    const parts: Uint8Array<ArrayBuffer>[] = []
    let received = 0
    for await (const part of readParts(response)) {
      parts.push(part)
      received += part.length
      onProgress({ received, size })
    }
    return new Blob(parts, { type: 'application/gzip' })
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

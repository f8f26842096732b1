import { Redactor } from '@redactpii/node'
import { OpenRedaction } from 'openredaction'
import redactPii from 'redact-pii'

/** Each as its own manual shows it, with everything on that it has on by default. */
export const peers = () => {
  const plain = new redactPii.SyncRedactor()
  const node = new Redactor()
  const open = new OpenRedaction({ redactionMode: 'placeholder' })
  return {
    'redact-pii': async text => plain.redact(text),
    '@redactpii/node': async text => node.redact(text),
    openredaction: async text => (await open.detect(text)).redacted,
  }
}

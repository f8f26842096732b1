import type { SafeHtml } from '@remix-run/html-template'
import type { ConnectorDisplay, ConnectorText, FormTarget, KnownFrame } from '../model.ts'

export type SampleConnector = ConnectorDisplay & { keywords: string[] }
export type SampleContext = {
  frame: KnownFrame
  connector: SampleConnector
  connectors: SampleConnector[]
  /** The preview's own address, the target of every link and form. */
  here: string
  translate: (text: string) => ConnectorText
  form: FormTarget
}
export type Sample = { group: string; label: string; page: (context: SampleContext) => SafeHtml }

export const sample = (group: string, label: string, page: Sample['page']): Sample => ({ group, label, page })

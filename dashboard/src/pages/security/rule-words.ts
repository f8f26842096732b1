import type { SecurityEntity } from '@carabiner/sdk'

export type Action = SecurityEntity['default_inbound_action']

export const ACTION_LABELS: Record<Action, string> = {
  none: 'Off',
  log: 'Detect',
  redact: 'Redact',
  block: 'Block',
}

export const ACTION_OPTIONS = [
  { value: 'none', label: ACTION_LABELS.none, hint: 'Not checked' },
  { value: 'log', label: ACTION_LABELS.log, hint: 'Recorded and passed through' },
  { value: 'redact', label: ACTION_LABELS.redact, hint: 'Replaced by [REDACTED:…]' },
  { value: 'block', label: ACTION_LABELS.block, hint: 'The call fails' },
] as const satisfies readonly { value: Action; label: string; hint: string }[]

const ACRONYMS = new Set(
  (
    'ABA ABN ACN API AWS EU FIN GSTIN IBAN ID IP ITIN JWT MAC NHS NIE NIF NINO NIR NRIC PAN PESEL PIN SSN TFN UK URL US VAT ' +
    // Countries
    'AU DE ES FR IN IT PL SG'
  ).split(' '),
)

/** `US_SSN` as "US SSN", `EMAIL_ADDRESS` as "Email address". */
export const entityLabel = (name: string): string =>
  name
    .split('_')
    .map((word, n) =>
      ACRONYMS.has(word) ? word : n === 0 ? word[0] + word.slice(1).toLowerCase() : word.toLowerCase(),
    )
    .join(' ')

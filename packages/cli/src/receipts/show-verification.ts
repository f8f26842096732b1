import type { JsonWebKey } from 'node:crypto'
import type { ReceiptPayload } from '@carabiner/contract/approval-receipt'
import type { CliContext } from '../program/cli-context.ts'
import { jsonObject, readJsonFile } from '../program/option-values.ts'
import { type FailingOutput, UsageError } from '../terminal/output.ts'
import { momentOf, printable } from '../terminal/printable.ts'
import { details } from '../terminal/table.ts'
import { type Check, type FrozenCall, type Receipt, readPayload, verifyReceipt } from './verify-receipt.ts'

export type ReceiptOptions = { key: string; call?: string }

/** What was approved, by whom and when, and whether the receipt proves it. */
export const showVerification = (
  { screen }: CliContext,
  file: string,
  { key, call }: ReceiptOptions,
): FailingOutput => {
  const receipt = readReceipt(file)
  const payload = readPayload(receipt)
  if (!payload) throw new UsageError(`${file} does not contain a receipt of an approval.`)
  const frozen = call === undefined ? null : readCall(call)
  const checks = verifyReceipt(receipt, payload, readKeys(key), frozen)
  const isValid = checks.every(({ passed }) => passed)
  return {
    text: [
      isValid ? 'The receipt is valid.' : 'The receipt is NOT valid. Do not rely on what it says.',
      details(describe(payload), screen),
      checks.map(describeCheck).join('\n'),
    ].join('\n\n'),
    data: { valid: isValid, checks, receipt: payload },
    failed: !isValid,
  }
}

const readReceipt = (file: string): Receipt => {
  const { payload, protected: header, signature } = readJsonFile(file)
  if (typeof payload !== 'string' || typeof header !== 'string' || typeof signature !== 'string')
    throw new UsageError(`${file} does not contain a receipt of an approval.`)
  return { payload, protected: header, signature }
}

const readCall = (file: string): FrozenCall => {
  const { frozen_call, nonce } = readJsonFile(file)
  if (typeof frozen_call !== 'string' || typeof nonce !== 'string')
    throw new UsageError(`${file} does not contain the call of an approval.`)
  return { frozen_call, nonce }
}

/** Of a JWK set, a JWK, or a file with one of them. */
const readKeys = (given: string): JsonWebKey[] => {
  const value = given.trimStart().startsWith('{') ? jsonObject(given) : readJsonFile(given)
  const keys = 'keys' in value ? value['keys'] : [value]
  if (!Array.isArray(keys) || keys.length === 0) throw new UsageError('The key is not a JWK or JWK set.')
  return keys
}

const describe = ({
  approval_id,
  approval_digest,
  decided_at,
  organization,
  person,
  call,
  passkey,
}: ReceiptPayload) =>
  [
    ['Approved', `${call.connector_slug}__${call.tool}, once`],
    ['Account', call.account_label ?? 'none'],
    ['For user', call.registered_user_id],
    ['By', `${person.name} <${person.email}>`],
    ['Of', organization.name],
    ['At', momentOf(decided_at)],
    ['Mode', call.mode],
    ['Approval', approval_id],
    ['Digest', approval_digest],
    ['Passkey', passkey.credential_id],
  ] as const

const describeCheck = ({ passed, text }: Check): string => `${passed ? '✓' : '✗'} ${printable(text)}`

import type { ApprovalReceipt } from '@carabiner/contract'
import { RECEIPT_FORMAT, type ReceiptPayload } from '@carabiner/contract/approval-receipt'
import type { ReceiptKey } from '../../../platform/vault/receipt-key.ts'

/** RFC 7515 §7.2.2 with EdDSA (RFC 8037 §3.1). The payload is signed as it is sent, so readers need no canonical form. */
export const signReceipt = (key: ReceiptKey, statement: Omit<ReceiptPayload, 'format'>): ApprovalReceipt => {
  const { alg, kid } = key.publicKey
  const header = encode({ alg, kid, typ: RECEIPT_FORMAT })
  const payload = encode({ format: RECEIPT_FORMAT, ...statement })
  return { payload, protected: header, signature: key.sign(`${header}.${payload}`).toString('base64url') }
}

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

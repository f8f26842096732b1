import { createPrivateKey } from 'node:crypto'
import type { ConnectorField } from '@carabiner/contract'
import {
  type CertificateProblem,
  readClientCertificate,
} from '../../../../core/signing/client-certificate.ts'
import { type PrivateKeyProblem, readPrivateKey } from '../../../../core/signing/private-key.ts'
import { readText } from '../../read-by-pointer.ts'
import { expectedKey } from './derived-values.ts'

export type KeyFieldProblem = PrivateKeyProblem | 'wrong_file'

type KeyField = ConnectorField & Required<Pick<ConnectorField, 'private_key'>>

/** Checks a private key as it was pasted or uploaded. The values of a vendor's file become fields of their own. */
export const readKeyField = (
  { name, private_key: { type, file } }: KeyField,
  typed: string,
): { values: Record<string, string> } | { problem: KeyFieldProblem } => {
  const contained = file ? readFile(file, typed) : { key: typed, values: {} }
  if (!contained) return { problem: 'wrong_file' }
  const read = readPrivateKey(contained.key, expectedKey(type))
  if ('problem' in read) return read
  const pem = read.key.export({ type: 'pkcs8', format: 'pem' }) as string
  return { values: { ...contained.values, [name]: pem } }
}

/** Checks the certificate of a private key, which has been read before. */
export const readCertificateField = (
  typed: string,
  privateKey: string,
  now: Date,
): { value: string } | { problem: CertificateProblem } => {
  const read = readClientCertificate(typed, createPrivateKey(privateKey), now)
  return 'problem' in read ? read : { value: read.pem }
}

type File = NonNullable<KeyField['private_key']['file']>

const MAX_VALUE_LENGTH = 320

const readFile = (
  { key, values = {} }: File,
  typed: string,
): { key: string; values: Record<string, string> } | null => {
  const document = parseJson(typed)
  const found = Object.entries(values).map(([name, pointer]) => [name, readText(document, pointer)] as const)
  const pem = readText(document, key)
  return pem === null || found.some(([, value]) => value === null || value.length > MAX_VALUE_LENGTH)
    ? null
    : { key: pem, values: Object.fromEntries(found as [string, string][]) }
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

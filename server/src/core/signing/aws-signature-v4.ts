import { createHash, createHmac } from 'node:crypto'
import type { Secret } from '../secret.ts'
import { joinSorted, readParameters } from './encoded-parameters.ts'
import { normalizeEncoding, percentEncode } from './percent-encoding.ts'
import type { SignableRequest } from './signable-request.ts'

export type AwsCredentials = {
  accessKeyId: string
  secretAccessKey: Secret
  /** Of temporary credentials. */
  sessionToken?: Secret
}

export type AwsSigning = {
  credentials: AwsCredentials
  region: string
  /** The name in the credential scope, such as `s3` or `sts`. */
  service: string
  at: Date
}

const ALGORITHM = 'AWS4-HMAC-SHA256'
/** Headers that proxies and HTTP clients add or change. */
const UNSIGNED_HEADERS = new Set([
  'authorization',
  'accept-encoding',
  'connection',
  'expect',
  'traceparent',
  'transfer-encoding',
  'user-agent',
  'x-amzn-trace-id',
])

/** The headers that sign a request with AWS Signature Version 4. The request must be sent with the headers given here. */
export const signAwsRequest = (
  request: SignableRequest,
  { credentials, region, service, at }: AwsSigning,
): Record<string, string> => {
  const url = new URL(request.url)
  const timestamp = at.toISOString().replaceAll(/[-:]|\.\d{3}/g, '')
  const payloadHash = sha256(request.body ?? '')
  const added = {
    'x-amz-date': timestamp,
    ...(credentials.sessionToken && { 'x-amz-security-token': credentials.sessionToken.reveal() }),
    ...(isS3(service) && { 'x-amz-content-sha256': payloadHash }),
  }
  const headers = canonicalHeaders({ ...request.headers, ...added, host: url.host })
  const signedHeaders = headers.map(([name]) => name).join(';')
  const canonicalRequest = [
    request.method,
    isS3(service) ? pathEncodedOnce(url.pathname) : pathEncodedTwice(url.pathname),
    joinSorted(readParameters(url.search.slice(1))),
    ...headers.map(([name, value]) => `${name}:${value}`),
    '',
    signedHeaders,
    payloadHash,
  ].join('\n')
  const scope = `${timestamp.slice(0, 8)}/${region}/${service}/aws4_request`
  const stringToSign = [ALGORITHM, timestamp, scope, sha256(canonicalRequest)].join('\n')
  const signature = hmac(signingKey(credentials.secretAccessKey, scope), stringToSign).toString('hex')
  return {
    ...added,
    authorization: `${ALGORITHM} Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${signedHeaders}, Signature=${signature}`,
  }
}

/** S3, S3 Express, S3 Outposts and S3 Object Lambda. Keys of objects may contain any path. */
const isS3 = (service: string): boolean => /^s3(?:express|-outposts|-object-lambda)?$/.test(service)

const pathEncodedOnce = (path: string): string => normalizeEncoding(path).replaceAll('%2F', '/')

/** `URL` has removed dot segments. Empty segments do not count either. */
const pathEncodedTwice = (path: string): string =>
  path
    .replaceAll(/\/{2,}/g, '/')
    .split('/')
    .map(percentEncode)
    .join('/')

const canonicalHeaders = (headers: Record<string, string>): [string, string][] =>
  Object.entries(headers)
    .map(([name, value]): [string, string] => [name.toLowerCase(), value.trim().replaceAll(/\s+/g, ' ')])
    .filter(([name]) => !UNSIGNED_HEADERS.has(name))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))

const signingKey = (secretAccessKey: Secret, scope: string): Buffer =>
  scope.split('/').reduce<Buffer>(hmac, Buffer.from(`AWS4${secretAccessKey.reveal()}`))

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex')

import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ConnectorFile } from '@carabiner/contract'
import aws4 from 'aws4'

export const AWS_KEY = { id: 'AKIDSTANDINEXAMPLE', secret: 'stand-in/secret+key-of-forty-characters' }
const MAX_SKEW_MS = 15 * 60_000

type Received = { method: string; url: string; headers: IncomingMessage['headers']; body: string }

/** A provider that accepts only requests with a valid AWS signature, which another implementation computes. */
export const startAwsStandIn = async ({
  service = 'lambda',
  answer = { account: '123456789012', functions: [{ name: 'f' }] },
}: {
  service?: string
  answer?: unknown
} = {}) => {
  const requests: Received[] = []
  const clock = { aheadMs: 0 }
  const server = createServer((req, res) => {
    const chunks: Buffer[] = []
    req.on('data', chunk => chunks.push(chunk as Buffer))
    req.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8')
      const received = { method: req.method ?? '', url: req.url ?? '', headers: req.headers, body }
      requests.push(received)
      const refused = refusalOf(service, received, Date.now() + clock.aheadMs)
      res.writeHead(refused ? 403 : 200, { 'content-type': 'application/json' })
      res.end(JSON.stringify(refused ?? answer))
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin,
    requests,
    /** Moves the clock of the provider. */
    setClockAhead: (milliseconds: number) => {
      clock.aheadMs = milliseconds
    },
    connector: connectorAt(origin),
    stop: () => server.close(),
  }
}

const refusalOf = (
  service: string,
  received: Received,
  now: number,
): { __type: string; message: string } | null => {
  const { authorization = '' } = received.headers
  const sentAt = String(received.headers['x-amz-date'] ?? '')
  const signer = new aws4.RequestSigner(
    {
      service,
      region: 'eu-west-1',
      method: received.method,
      path: received.url,
      host: received.headers.host ?? '',
      headers: signedHeadersOf(received),
      body: received.body,
      doNotModifyHeaders: true,
    },
    { accessKeyId: AWS_KEY.id, secretAccessKey: AWS_KEY.secret },
  )
  // Default: the present, which may be a second later.
  Object.assign(signer, { datetime: sentAt })
  const expected = signer.sign()
  if (expected.headers?.Authorization !== authorization)
    return {
      __type: 'SignatureDoesNotMatch',
      message: 'The request signature we calculated does not match the signature you provided.',
    }
  const time = Date.parse(sentAt.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  if (Math.abs(now - time) <= MAX_SKEW_MS) return null
  const latest = new Date(now).toISOString().replaceAll(/[-:]|\.\d{3}/g, '')
  return {
    __type: 'InvalidSignatureException',
    message: `Signature expired: ${sentAt} is now earlier than the time of the service, ${latest}`,
  }
}

/** The headers that the signature names. */
const signedHeadersOf = ({ headers }: Received): Record<string, string> => {
  const names = /SignedHeaders=([^,]*)/.exec(headers.authorization ?? '')?.[1] ?? ''
  return Object.fromEntries(names.split(';').map(name => [name, String(headers[name] ?? '')]))
}

const connectorAt = (origin: string): ConnectorFile => ({
  slug: 'acme-cloud',
  name: 'Acme Cloud',
  summary: 'Functions',
  categories: ['development'],
  documentation_url: 'https://acme.example/docs',
  authorization: [
    {
      type: 'aws_signature',
      fields: [
        { name: 'access_key_id', label: 'Access key ID', secret: false },
        { name: 'secret_access_key', label: 'Secret access key', secret: true },
      ],
      endpoints: [{ origin, service: 'lambda', region: 'eu-west-1' }],
    },
  ],
  identity: { url: `${origin}/identity`, account: '/account', id: '/account' },
  credential_origins: [origin],
  tools: [
    {
      name: 'list_functions',
      title: 'List functions',
      description: 'Lists the functions of the account.',
      input_schema: {
        type: 'object',
        properties: { prefix: { type: 'string' } },
        additionalProperties: false,
      },
      scopes: [],
      request: { method: 'GET', url: `${origin}/2015-03-31/functions`, query: { Prefix: '{prefix}' } },
      read_only: true,
    },
  ],
})

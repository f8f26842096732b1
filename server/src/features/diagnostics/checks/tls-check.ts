import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { isIP } from 'node:net'
import { connect } from 'node:tls'
import { DAY } from '../../../core/duration.ts'
import type { Config, TlsFiles } from '../../../platform/config.ts'
import { BEFORE_START, type Check, ok, problem, type RunningContext, skipped } from './finding.ts'

const MAX_RENEW_MS = 14 * DAY
/** Short-lived certificates are renewed when a third of their lifetime is left. */
const MIN_SHARE_LEFT = 1 / 4

/** The certificate of this service, or the one that the proxy in front of it presents. */
export const tlsCheck: Check<RunningContext> = {
  name: 'TLS',
  run: async ({ config, isBeforeStart }, signal) => {
    const hosts = secureHosts(config)
    if (config.tls) return checkFiles(config.tls, hosts)
    if (isBeforeStart) return skipped(BEFORE_START)
    if (hosts.length === 0) return skipped('not used: BASE_URL and LINK_URL are http on loopback')
    return Promise.all(
      hosts.map(async url =>
        describe(await peerCertificate(url, signal), [url], `the certificate at ${url.host}`),
      ),
    ).catch((error: Error) =>
      problem(
        `No TLS connection to ${hosts.map(({ host }) => host).join(' or ')}: ${error.message}`,
        'Check the certificate of the proxy in front of the service, and that it is reachable from here.',
      ),
    )
  },
}

const secureHosts = ({ baseUrl, linkUrl }: Config): URL[] => {
  const urls = [new URL(baseUrl), new URL(linkUrl)].filter(({ protocol }) => protocol === 'https:')
  return urls.filter((url, at) => urls.findIndex(({ host }) => host === url.host) === at)
}

const checkFiles = ({ certificate, key }: TlsFiles, hosts: URL[]) => {
  const read = new X509Certificate(readFileSync(certificate))
  if (!read.checkPrivateKey(createPrivateKey(readFileSync(key))))
    return problem(
      'TLS_KEY_FILE does not belong to the certificate in TLS_CERTIFICATE_FILE.',
      'Set both to files of the same certificate.',
    )
  const mode = statSync(key).mode & 0o777
  if ((mode & 0o007) !== 0)
    return problem(`${key} is accessible to all accounts (mode 0${mode.toString(8)}).`, `chmod 400 ${key}`)
  return describe(read, hosts, certificate)
}

const describe = (certificate: X509Certificate, hosts: URL[], source: string) => {
  const expires = new Date(certificate.validTo)
  const wrong = hosts.find(({ hostname }) => !isValidFor(certificate, hostname))
  if (wrong)
    return problem(
      `${source} is not valid for ${wrong.hostname}.`,
      `Use a certificate for ${hosts.map(({ hostname }) => hostname).join(' and ')}.`,
    )
  if (expiresSoon({ from: new Date(certificate.validFrom), to: expires }, Date.now()))
    return problem(
      `${source} ${expires.getTime() < Date.now() ? 'expired' : 'expires'} on ${expires.toISOString().slice(0, 10)}.`,
      'Renew the certificate, and restart the service or its proxy.',
    )
  return ok(`${source} is valid until ${expires.toISOString().slice(0, 10)}`)
}

export const expiresSoon = ({ from, to }: { from: Date; to: Date }, now: number): boolean => {
  const lifetime = to.getTime() - from.getTime()
  return to.getTime() - now < Math.min(MAX_RENEW_MS, lifetime * MIN_SHARE_LEFT)
}

/** RFC 6125: a certificate is valid for the names and addresses that it lists. */
const isValidFor = (certificate: X509Certificate, hostname: string): boolean => {
  const address = hostname.replace(/^\[|\]$/g, '')
  return Boolean(isIP(address) === 0 ? certificate.checkHost(hostname) : certificate.checkIP(address))
}

const peerCertificate = (url: URL, signal: AbortSignal): Promise<X509Certificate> =>
  new Promise((resolve, reject) => {
    const port = Number(url.port || 443)
    // The certificate is judged below, so that an expired one is reported as such.
    const socket = connect(
      { host: url.hostname, port, servername: url.hostname, rejectUnauthorized: false },
      () => {
        const certificate = socket.getPeerX509Certificate()
        const { authorizationError } = socket
        socket.destroy()
        if (!certificate) reject(new Error('the server presented no certificate'))
        else if (isUntrusted(authorizationError)) reject(new Error(String(authorizationError)))
        else resolve(certificate)
      },
    )
    socket.on('error', reject)
    signal.addEventListener('abort', () => socket.destroy())
  })

/** Validity and names are checked separately. */
const isUntrusted = (error: unknown): boolean =>
  Boolean(error) && !/CERT_HAS_EXPIRED|ALTNAME/.test(String(error))

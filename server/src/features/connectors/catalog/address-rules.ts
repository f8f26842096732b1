import { type ConnectorFile, oauthMethod } from '@carabiner/contract'
import { lettersOf } from '@carabiner/detection/patterns'
import { namesIn } from '../../upstream/http/template.ts'
import { type Address, addressesOf, originOf } from './connector-addresses.ts'
import { type Problem, problem } from './connector-problem.ts'
import { enteredNames, obtainedValues, tenantNames, unknownNames } from './template-rules.ts'

/** Every address of a file: that it is one, that its host cannot be chosen by anyone, and that a credential may go there. */
export const addressProblems = (file: ConnectorFile): Problem[] => {
  const origins = new Set(file.credential_origins.map(originOf))
  return addressesOf(file).flatMap(address => [
    ...shapeProblems(address),
    ...nameProblems(file, address),
    ...hostProblems(file, address),
    ...(address.use === 'credential' && !origins.has(originOf(address.url))
      ? [problem(address.path, `is not on one of credential_origins: ${[...origins].join(', ')}`)]
      : []),
  ])
}

const LOOPBACK = /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/

const shapeProblems = ({ path, url, use }: Address): Problem[] => {
  const origin = originOf(url)
  // Names stand for what an address can hold; a letter does that too.
  const sample = url.replace(/\{[a-z_.0-9]+\}/g, 'x')
  if (!URL.canParse(sample)) return [problem(path, 'is not an address')]
  const { username, password, hash, search, pathname } = new URL(sample)
  if (!origin.startsWith('https://') && !LOOPBACK.test(origin))
    return [problem(path, 'must begin with https://')]
  if (username || password) return [problem(path, 'must not hold a name or a password')]
  if (hash && use !== 'reading') return [problem(path, 'must not hold a #')]
  if (use === 'origin' && (pathname !== '/' || search || url.endsWith('/')))
    return [problem(path, 'is an origin: scheme and host, and no path')]
  if (search && path[0] === 'tools') return [problem(path, 'must not hold a ?: parameters stand in query')]
  return []
}

/** What is learned on the way is known only from there on. */
const nameProblems = (file: ConnectorFile, { path, url, use }: Address): Problem[] => {
  if (use === 'reading') return []
  if (path[0] === 'tools') return []
  const learns = oauthMethod(file)?.learns ?? []
  const asked = enteredNames(file)
  const early = learns.filter(({ from }) => from !== 'identity').map(({ name }) => `tenant.${name}`)
  const learned = learns.map(({ name }) => `tenant.${name}`)
  const known = (): string[] => {
    if (path.includes('revocation')) return ['client_id', ...tenantNames(file)]
    if (use === 'origin' || path.includes('refresh') || path[0] === 'mcp') return tenantNames(file)
    if (path.includes('site')) return [...asked, ...learned]
    return path[0] === 'identity' ? [...asked, ...early] : asked
  }
  return unknownNames(url, new Set(known()), path)
}

const FORBIDDEN_IN_HOSTS = Array.from('/:@?#\\% \t\n\r\u00a0\u2028')

const hostProblems = (file: ConnectorFile, { path, url, use }: Address): Problem[] => {
  if (use === 'reading') return []
  const typed = (file.tenant ?? []).filter(({ choices }) => !choices)
  const values = [...typed, ...obtainedValues(file)]
  return namesIn(originOf(url)).flatMap(name => {
    if (!name.startsWith('tenant.')) return [problem(path, `{${name}} must not stand in the host`)]
    const value = values.find(candidate => `tenant.${candidate.name}` === name)
    if (!value) return []
    if (value.pattern === undefined)
      return [problem(path, `{${name}} is part of the host, so it needs a pattern`)]
    const letters = lettersOf(value.pattern)
    const loose = FORBIDDEN_IN_HOSTS.filter(letter => letters?.has(letter))
    return loose.length === 0
      ? []
      : [
          problem(
            path,
            `{${name}} is part of the host, so its pattern must not allow ${JSON.stringify(loose.join(''))}`,
          ),
        ]
  })
}

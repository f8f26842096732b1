import { type ConnectorFile, methodOf, oauthMethod } from '@carabiner/contract'
import { isLoopbackHost } from '@carabiner/contract/loopback'
import { lettersOf } from '@carabiner/detection/patterns'
import { namesIn } from '../../../upstream/templates/template.ts'
import { type Address, addressesOf, originOf } from './connector-addresses.ts'
import { type Problem, problem } from './connector-problem.ts'
import { addressValues, enteredNames, obtainedValues, tenantNames, unknownNames } from './template-rules.ts'

/**
 * Checks every address of a file: its syntax, that no user can choose its host, and that credentials may be sent
 * there.
 */
export const addressProblems = (file: ConnectorFile): Problem[] => {
  const origins = new Set(file.credential_origins.map(originOf))
  const tokenOrigins = new Set((methodOf(file, 'token_request')?.token_origins ?? []).map(originOf))
  return addressesOf(file).flatMap(address => [
    ...shapeProblems(address),
    ...nameProblems(file, address),
    ...hostProblems(file, address),
    ...(address.use === 'credential' && !origins.has(originOf(address.url))
      ? [problem(address.path, `is not on one of credential_origins: ${[...origins].join(', ')}`)]
      : []),
    ...(address.use === 'token_request' && !tokenOrigins.has(originOf(address.url))
      ? [problem(address.path, `is not on one of token_origins: ${[...tokenOrigins].join(', ') || 'none'}`)]
      : []),
  ])
}

const shapeProblems = ({ path, url, use }: Address): Problem[] => {
  const origin = originOf(url)
  // Placeholders are replaced by a letter, which is valid in any part of an address.
  const sample = url.replace(/\{[a-z_.0-9]+\}/g, 'x')
  if (!URL.canParse(sample)) return [problem(path, 'is not a valid address')]
  const { username, password, hash, search, pathname, protocol, hostname } = new URL(sample)
  if (!origin.startsWith('https://') && !(protocol === 'http:' && isLoopbackHost(hostname)))
    return [problem(path, 'must start with https://')]
  if (username || password) return [problem(path, 'must not contain a user name or password')]
  if (hash && use !== 'reading') return [problem(path, 'must not contain a fragment (#)')]
  if (use === 'origin' && (pathname !== '/' || search || url.endsWith('/')))
    return [problem(path, 'must be an origin: scheme and host without a path')]
  if (search && path[0] === 'tools')
    return [problem(path, 'must not contain a query (?): use the query field')]
  return []
}

/** Values learned during authorization are available only after that step. */
const nameProblems = (file: ConnectorFile, { path, url, use }: Address): Problem[] => {
  // The rules of token requests check their names.
  if (use === 'reading' || use === 'token_request') return []
  if (path[0] === 'tools') return []
  const learnedValues = oauthMethod(file)?.learned_values ?? []
  const entered = enteredNames(file)
  const early = learnedValues.filter(({ from }) => from !== 'identity').map(({ name }) => `tenant.${name}`)
  const learned = learnedValues.map(({ name }) => `tenant.${name}`)
  const known = (): string[] => {
    if (path.includes('revocation')) return ['client_id', ...tenantNames(file)]
    if (use === 'origin' || path.includes('refresh') || path[0] === 'mcp') return tenantNames(file)
    if (path.includes('site')) return [...entered, ...learned]
    const read = addressValues(file).map(({ name }) => `tenant.${name}`)
    return path[0] === 'identity' ? [...entered, ...early, ...read] : entered
  }
  return unknownNames(url, new Set(known()), path)
}

const FORBIDDEN_IN_HOSTS = Array.from('/:@?#\\% \t\n\r\u00a0\u2028')

const hostProblems = (file: ConnectorFile, { path, url, use }: Address): Problem[] => {
  if (use === 'reading') return []
  const typed = (file.tenant ?? []).filter(({ choices }) => !choices)
  const values = [...typed, ...obtainedValues(file)]
  return namesIn(originOf(url)).flatMap(name => {
    if (!name.startsWith('tenant.')) return [problem(path, `{${name}} must not be part of the host`)]
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

import { globSync } from 'node:fs'

const PATTERNS = [
  '{packages,apps}/*/{src,test}/**/*.test.ts',
  'server/{src,test}/**/*.test.ts',
  'e2e/**/*.test.ts',
  'bench/**/*.test.ts',
]

/**
 * Test files that are not about the behavior of the product, or that repeat a guarantee under load or faults. `npm run test:slow` runs them;
 * `npm test` runs all others, which prove the specification.
 */
const SLOW: { reason: string; files: RegExp }[] = [
  { reason: 'benchmarks report every figure', files: /^bench\// },
  {
    reason: 'ways of installing, and what is published',
    files:
      /^server\/test\/deploy\/(?:deploy-files|installations|read-only-clone)|^(?:packages|apps)\/[^/]+\/test\/(?:packages|package|release)\.test/,
  },
  {
    reason: 'programs and pages of the documentation, and examples',
    files:
      /^server\/test\/documentation\/(?:build|quickstart|shell-snippets|site|snippets)|quickstarts\.test|\/readme\.test|snippets\.test|^e2e\/(?:documentation|examples|agent-chat)|^apps\/testing\/test\//,
  },
  {
    reason: 'clients, servers and tools of others',
    files:
      /\/mcp-clients|authorization\/(?:clients|conformance)|mcp-conformance|mcp-client-conformance|mcp-real-servers|openapi-tools\.test|^e2e\/stand-ins|^server\/test\/monitoring\//,
  },
  {
    reason: 'commands of the operator that start services of their own: archives, moves, backups',
    files: /^apps\/carabiner\/src\/(?:backups|service)\/|^apps\/carabiner\/src\/organizations\/(?:org|cell)-/,
  },
  {
    reason: 'time that hostile texts take, whose detection other tests check',
    files: /^packages\/detection\/test\/hostile-texts/,
  },
  {
    reason:
      'pages of the dashboard, whose requests other tests check (`npm test` has its frame, sign-in, Home, drafts and approvals)',
    files: /^e2e\/dashboard-(?!(?:approvals|drafts|home|sign-in)\.)/,
  },
  {
    reason: 'a simulated year of connections, whose detector other tests check',
    files: /health-proof/,
  },
  {
    reason: 'themes and sizes of every page',
    files: /^e2e\/appearance/,
  },
  {
    reason:
      'every invalid form of a request at every route (`npm test` sends each route one of them, in turn)',
    files: /bad-input-every-form/,
  },
  {
    reason: 'policies of browsers for windows: popup blockers, openers, cookies of other sites',
    files: /^e2e\/popups/,
  },
  {
    reason: 'short forms of the proofs: processes that are killed, faults at every step, load, growth',
    files:
      /^server\/test\/(?:processes|backups)\/|portability\/(?:move|archive(?:-faults)?)\.test|cells\/(?:load-balancer|move-under-load)|kill-between-steps|killed-workers|-several-nodes|\/several-nodes|isolation-attacks|huge-responses|database-outage|\/pooler\.test|\/replica\.test|credentials\/rotation\.test|refresh-(?:takeover|herd)|approvals-proof|(?:mcp|account|connector)-races|client-document-flood/,
  },
]

/** Flows of `npm test` that the slow tier repeats on the embedded database. `npm run proof:embedded` repeats all. */
const EMBEDDED = [
  'operator/leaving',
  'operator/operator-routes',
  'operator/health',
  'members/member-sign-in',
  'members/invitations',
  'organizations/suspension',
  'webhooks/deliveries',
  'webhooks/fair-share',
  'metering/plans',
  'metering/daily-limit',
  'events/audit-routes',
  'link/confirm',
  'authorization/refresh-repeats',
  'tools/tools',
  'tools/tool-search',
]
  .map(name => `server/test/${name}.test.ts`)
  .concat('server/src/features/credentials/rotation/rotate-keys.test.ts')

const isSlow = (file: string): boolean => SLOW.some(({ files }) => files.test(file))

export type Tier = 'fast' | 'slow'

export const embeddedFlows = (root: string): string[] => {
  const known = new Set(testFiles(root, 'fast'))
  const missing = EMBEDDED.filter(file => !known.has(file))
  if (missing.length > 0) throw new Error(`Not in \`npm test\`: ${missing.join(', ')}`)
  return EMBEDDED
}

/** Paths relative to `root`. */
export const testFiles = (root: string, tier: Tier): string[] =>
  PATTERNS.flatMap(pattern => globSync(pattern, { cwd: root }))
    .filter(file => isSlow(file) === (tier === 'slow'))
    .toSorted()

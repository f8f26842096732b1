import { globSync } from 'node:fs'

const PATTERNS = [
  'packages/*/{src,test}/**/*.test.ts',
  'sandbox/test/*.test.ts',
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
      /^server\/test\/deploy\/(?:installations|read-only-clone)|^packages\/[^/]+\/test\/(?:packages|package|release)\.test|^e2e\/dashboard-first-call/,
  },
  {
    reason: 'programs and pages of the documentation, and examples',
    files:
      /^server\/test\/documentation\/(?:build|quickstart|shell-snippets|site|snippets)|quickstarts\.test|\/readme\.test|snippets\.test|^e2e\/(?:documentation|examples|agent-chat)|^packages\/testing\/test\//,
  },
  {
    reason: 'clients, servers and tools of others',
    files:
      /\/mcp-clients|authorization\/clients|mcp-conformance|mcp-client-conformance|mcp-real-servers|openapi-tools\.test|^e2e\/stand-ins|^server\/test\/monitoring\//,
  },
  {
    reason: 'themes and sizes of the dashboard, and the second ones of all other pages',
    files: /^e2e\/(?:pairwise|dashboard)-appearance/,
  },
  {
    reason: 'short forms of the proofs: processes that are killed, load, growth',
    files:
      /^server\/test\/(?:processes|backups)\/|cells\/(?:load-balancer|move-under-load)|kill-between-steps|killed-workers|-several-nodes|\/several-nodes|isolation-attacks|huge-responses|database-outage|\/pooler\.test|\/replica\.test|credentials\/rotation\.test|refresh-(?:takeover|herd)|explain-agreement/,
  },
]

/** Flows of `npm test` that the slow tier repeats on the embedded database. `npm run proof:embedded` repeats all. */
const EMBEDDED =
  /^server\/test\/(?:operator\/(?:leaving|operator-routes|health)|members\/(?:sign-in|invitations)|organizations\/suspension|webhooks\/(?:deliveries|fair-share)|metering\/plans|events\/audit-routes|link\/confirm|authorization\/refresh-repeats|tools\/(?:tools|tool-search))\.test/

const isSlow = (file: string): boolean => SLOW.some(({ files }) => files.test(file))

export type Tier = 'fast' | 'slow'

export const embeddedFlows = (root: string): string[] =>
  testFiles(root, 'fast').filter(file => EMBEDDED.test(file))

/** Paths relative to `root`. */
export const testFiles = (root: string, tier: Tier): string[] =>
  PATTERNS.flatMap(pattern => globSync(pattern, { cwd: root }))
    .filter(file => isSlow(file) === (tier === 'slow'))
    .toSorted()

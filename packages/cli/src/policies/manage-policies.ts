import { DEFAULT_APPROVERS } from '@carabiner/contract/approval-bounds'
import { withApi } from '../api/api-client.ts'
import { findPack } from '../api/find-pack.ts'
import type { Client, PolicyRule, PolicyWrite, SavedPolicy } from '../api/sdk.ts'
import type { CliContext } from '../program/cli-context.ts'
import { type Confirmed, requireConfirmation } from '../program/confirm.ts'
import { readJsonFile } from '../program/option-values.ts'
import type { Output } from '../terminal/output.ts'
import { table } from '../terminal/table.ts'

type PackOption = { pack?: string }
type OfPack = { tool_pack_id?: string }
type NamedRule = NonNullable<PolicyWrite['rules']>[number]

const ownerOf = async (client: Client, { pack }: PackOption): Promise<OfPack> =>
  pack === undefined ? {} : { tool_pack_id: (await findPack(client, pack)).id }

const readPolicy = async (client: Client, owner: OfPack) => {
  const rules: PolicyRule[] = []
  for await (const rule of client.policyRules.list(owner)) rules.push(rule)
  const { default: fallback, approval_binding: binding } = await client.policy.get(owner)
  return { default: fallback, ...(binding && { approval_binding: binding }), rules }
}

export const showPolicy = (context: CliContext, options: PackOption): Promise<Output> =>
  withApi(context, async ({ client }) => {
    const policy = await readPolicy(client, await ownerOf(client, options))
    const rules = table(
      policy.rules,
      [
        { title: 'NAME', value: rule => rule.name, shrinks: true },
        { title: 'EFFECT', value: rule => rule.effect ?? `hook ${rule.hook?.url ?? ''}`, shrinks: true },
        { title: 'TOOLS', value: rule => rule.tools.join(','), shrinks: true },
        { title: 'WHEN', value: rule => rule.when ?? 'always', shrinks: true },
      ],
      context.screen,
    )
    const fallback = [
      `Calls that no rule matches: ${policy.default}`,
      ...(policy.approval_binding === 'link' ? ['Approvals by users: anyone with the link decides'] : []),
    ].join('\n')
    return {
      text: policy.rules.length === 0 ? `No rules. ${fallback}` : `${rules}\n\n${fallback}`,
      data: policy,
    }
  })

export type ApplyOptions = PackOption & { dryRun?: boolean } & Confirmed

/** Makes a policy equal to a file. */
export const applyPolicy = (
  context: CliContext,
  file: string,
  { dryRun, pack, ...confirmed }: ApplyOptions,
): Promise<Output> => {
  // The service checks the content.
  const wanted = readJsonFile(file) as Omit<PolicyWrite, 'tool_pack_id'>
  return withApi(context, async ({ client }) => {
    const owner = await ownerOf(client, pack === undefined ? {} : { pack })
    const current = await readPolicy(client, owner)
    // Only the policy of the organization has one; the service rejects another.
    const binding = wanted.approval_binding ?? (current.approval_binding && 'identified')
    const changes = [
      ...(wanted.default === current.default ? [] : [`default: ${current.default} → ${wanted.default}`]),
      ...(binding === current.approval_binding
        ? []
        : [`approval_binding: ${current.approval_binding ?? 'none'} → ${binding}`]),
      ...compareRules(current.rules, wanted.rules ?? []),
    ]
    const data = { changes, applied: false }
    if (changes.length === 0) return { text: 'The policy equals the file.', data }
    const text = changes.join('\n')
    if (dryRun) return { text: `${text}\n\nNothing was changed.`, data }
    await requireConfirmation(context, `${text}\n\nApply these changes?`, confirmed)
    const { hook_secrets: secrets } = await client.policy.set({
      default: wanted.default,
      ...(binding && { approval_binding: binding }),
      rules: wanted.rules ?? [],
      ...owner,
    })
    const applied = `${text}\n\nThe policy equals the file. It applies from the next call on.`
    return {
      text: [applied, ...describeSecrets(secrets)].join('\n\n'),
      data: { changes, applied: true, ...(secrets.length > 0 && { hook_secrets: secrets }) },
    }
  })
}

/** A file contains no secrets. */
const describeSecrets = (secrets: SavedPolicy['hook_secrets']): string[] =>
  secrets.length === 0
    ? []
    : [
        [
          'Signing secrets of new hooks. They are not shown again:',
          ...secrets.map(({ name, secret }) => `${name}: ${secret}`),
        ].join('\n'),
      ]

const FIELDS = [
  'effect',
  'hook',
  'tools',
  'when',
  'approvers',
  'step_up',
  'prevent_self_approval',
  'reason',
] as const
const OMITTED = {
  effect: null,
  hook: null,
  tools: null,
  when: null,
  approvers: DEFAULT_APPROVERS,
  step_up: false,
  prevent_self_approval: false,
  reason: null,
}

/** The service normalizes URLs. */
const valueOf = (rule: NamedRule, field: (typeof FIELDS)[number]) =>
  field === 'hook' && rule.hook
    ? { url: URL.parse(rule.hook.url)?.href ?? rule.hook.url, on_error: rule.hook.on_error ?? 'deny' }
    : (rule[field] ?? OMITTED[field])

/** `+` a new rule, `~` a changed one with its fields, `-` a deleted one. */
const compareRules = (current: readonly PolicyRule[], wanted: readonly NamedRule[]): string[] => [
  ...wanted.flatMap(rule => {
    const known = current.find(({ name }) => name === rule.name)
    if (!known) return [`+ ${rule.name}`]
    const changed = FIELDS.filter(
      field => JSON.stringify(known[field]) !== JSON.stringify(valueOf(rule, field)),
    )
    return changed.length === 0 ? [] : [`~ ${rule.name} (${changed.join(', ')})`]
  }),
  ...current.filter(({ name }) => !wanted.some(rule => rule.name === name)).map(({ name }) => `- ${name}`),
]

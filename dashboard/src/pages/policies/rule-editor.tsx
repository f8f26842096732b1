import type { PolicyRule } from '@carabiner/sdk'
import { useRouter } from '@tanstack/react-router'
import { type FormEvent, lazy, Suspense, useEffect, useMemo, useState } from 'react'
import { useScope } from '../../api/use-api.ts'
import { useDraft } from '../../drafts/use-draft.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { SaveBar } from '../../ui/forms/save-bar.tsx'
import { toast } from '../../ui/overlays/toast.tsx'
import { HookCard } from './hooks/hook-card.tsx'
import { countChanges, draftOf, isComplete, NEW_DRAFT, type RuleDraft } from './rule-draft.ts'
import { RuleFields } from './rule-fields.tsx'
import { RuleImpact } from './rule-impact.tsx'
import { SaveError } from './save-error.tsx'
import { draftOfStarter } from './starters.ts'
import { useChangeRule, useCreateRule } from './use-policies.ts'
import { useTestedDraft } from './use-tested-draft.ts'

const HookSecretDialog = lazy(() => import('./hooks/hook-secret-dialog.tsx'))
const DeleteRuleDialog = lazy(() => import('./delete-rule-dialog.tsx'))

type Props = {
  /** Undefined: a new one. */
  rule: PolicyRule | undefined
  pack: string | undefined
  starter: string | undefined
  mayProtect: boolean
}

export const RuleEditor = ({ rule, pack, starter, mayProtect }: Props) => {
  const saved = useMemo(
    (): RuleDraft => (rule ? draftOf(rule) : { ...NEW_DRAFT, ...draftOfStarter(starter) }),
    [rule, starter],
  )
  const draft = useDraft(`policy-rule.${rule?.id ?? `new.${pack ?? ''}.${starter ?? ''}`}`, saved)
  const { values } = draft
  const tested = useTestedDraft(values, { id: rule?.id, pack })
  const leave = useLeave(draft.count, pack)
  const [secret, setSecret] = useState<string | null>(null)
  const create = useCreateRule(pack, ({ hook_secret: created }) => {
    toast({ title: 'Rule added', description: 'It applies from the next call.' })
    draft.discard()
    if (created === null) leave()
    else setSecret(created)
  })
  const change = useChangeRule(rule?.id ?? '', ({ hook_secret: created }, { changes }) => {
    draft.settle(changes)
    setSecret(created)
    toast({ title: 'Rule saved', description: 'It applies from the next call.' })
  })
  const { error, isPending } = rule ? change : create
  const canSave = isComplete(values) && tested.issues.length === 0
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (!canSave || isPending) return
    if (rule) change.mutate({ changes: draft.changes, values })
    else create.mutate(values)
  }
  return (
    <form onSubmit={submit} className="grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_24rem]">
      <div className="grid min-w-0 gap-5">
        <Card>
          <fieldset disabled={!mayProtect} className="grid min-w-0 gap-6">
            <RuleFields
              values={values}
              onChange={draft.change}
              issues={tested.issues}
              error={error}
              isDisabled={!mayProtect}
            />
          </fieldset>
        </Card>
        {rule?.hook && mayProtect && <HookCard rule={rule} />}
        {rule && mayProtect && (
          <DeleteCard
            rule={rule}
            onDeleted={() => {
              draft.discard()
              leave()
            }}
          />
        )}
      </div>
      <aside aria-label="What it would have done" className="xl:sticky xl:top-20">
        <RuleImpact
          tested={tested}
          effect={values.effect}
          isSaved={rule !== undefined && draft.count === 0}
        />
      </aside>
      {mayProtect && (
        <div className="grid gap-3 xl:col-span-2">
          {error && <SaveError error={error} />}
          {rule ? (
            <SaveBar
              changes={countChanges(draft.changes)}
              onDiscard={draft.discard}
              isBusy={isPending}
              isDisabled={!canSave}
            />
          ) : (
            <div className="flex flex-wrap justify-end gap-2">
              <Button
                onClick={() => {
                  draft.discard()
                  leave()
                }}
              >
                Cancel
              </Button>
              <Button type="submit" kind="primary" isBusy={isPending} disabled={!canSave}>
                Add rule
              </Button>
            </div>
          )}
        </div>
      )}
      <Suspense>
        {secret !== null && (
          <HookSecretDialog
            secret={secret}
            onClose={() => {
              setSecret(null)
              if (!rule) leave()
            }}
          />
        )}
      </Suspense>
    </form>
  )
}

/** Back to the list, once the draft is gone: before, leaving would ask. */
const useLeave = (changes: number, pack: string | undefined): (() => void) => {
  const router = useRouter()
  const { organization, mode } = useScope()
  const [isLeaving, setLeaving] = useState(false)
  useEffect(() => {
    if (!isLeaving || changes > 0) return
    const query = pack === undefined ? '' : `?pack=${pack}`
    void router.navigate({ href: `/dashboard/o/${organization}/${mode}/policies${query}` })
  }, [isLeaving, changes, router, organization, mode, pack])
  return () => setLeaving(true)
}

const DeleteCard = ({ rule, onDeleted }: { rule: PolicyRule; onDeleted: () => void }) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <div className="flex flex-wrap items-center justify-between gap-3">
      <p className="flex-1 basis-60 text-xs text-muted">
        {rule.made_by === 'key' &&
          'An API key has chosen the name or the reason, so callers do not see the reason as the organization’s words.'}
      </p>
      <Button kind="quiet-danger" onClick={() => setOpen(true)}>
        Delete rule
      </Button>
      <Suspense>
        {isOpen && <DeleteRuleDialog rule={rule} onClose={() => setOpen(false)} onDeleted={onDeleted} />}
      </Suspense>
    </div>
  )
}

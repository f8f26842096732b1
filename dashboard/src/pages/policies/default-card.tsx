import type { Policy } from '@carabiner/sdk'
import { lazy, Suspense, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Badge } from '../../ui/data/badge.tsx'
import { DEFAULT_MEANING } from './default-words.ts'
import { EFFECTS } from './rule-words.ts'

const DefaultDialog = lazy(() => import('./default-dialog.tsx'))

type Props = { pack: string | undefined; policy: Policy; mayProtect: boolean }

/** What applies to calls that no rule matches. */
export const DefaultCard = ({ pack, policy, mayProtect }: Props) => {
  const [isOpen, setOpen] = useState(false)
  const { tone, label } = EFFECTS[policy.default]
  return (
    <Card>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-sm">
        <span className="font-medium">Default</span>
        <Badge tone={tone}>{label}</Badge>
        <p className="min-w-0 flex-1 basis-56 text-muted">
          A call that no rule matches {DEFAULT_MEANING[policy.default]}
        </p>
        {mayProtect && (
          <Button size="sm" onClick={() => setOpen(true)}>
            Change default
          </Button>
        )}
      </div>
      <Suspense>
        {isOpen && <DefaultDialog pack={pack} current={policy.default} onClose={() => setOpen(false)} />}
      </Suspense>
    </Card>
  )
}

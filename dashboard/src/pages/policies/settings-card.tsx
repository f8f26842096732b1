import type { Policy } from '@carabiner/sdk'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Badge } from '../../ui/data/badge.tsx'
import { EFFECTS } from './rule-words.ts'
import { BINDING_SETTING, BINDINGS, DEFAULT_MEANING, DEFAULT_SETTING } from './settings.ts'

const SettingDialog = lazy(() => import('./setting-dialog.tsx'))

type Props = { pack: string | undefined; policy: Policy; mayProtect: boolean }

/** What applies to calls that no rule matches; of the organization also how users decide. */
export const SettingsCard = ({ pack, policy, mayProtect }: Props) => {
  const [open, setOpen] = useState<'default' | 'binding'>()
  const { default: effect, approval_binding: binding } = policy
  return (
    <Card>
      <div className="space-y-4">
        <Setting
          label={DEFAULT_SETTING.label}
          value={<Badge tone={EFFECTS[effect].tone}>{EFFECTS[effect].label}</Badge>}
          meaning={`A call that no rule matches ${DEFAULT_MEANING[effect]}`}
          action={DEFAULT_SETTING.action}
          onChange={mayProtect ? () => setOpen('default') : undefined}
        />
        {binding && (
          <Setting
            label={BINDING_SETTING.label}
            value={<Badge tone={binding === 'link' ? 'warn' : 'neutral'}>{BINDINGS[binding].label}</Badge>}
            meaning={BINDINGS[binding].meaning}
            action={BINDING_SETTING.action}
            onChange={mayProtect ? () => setOpen('binding') : undefined}
          />
        )}
      </div>
      <Suspense>
        {open && <SettingDialog name={open} pack={pack} policy={policy} onClose={() => setOpen(undefined)} />}
      </Suspense>
    </Card>
  )
}

type SettingProps = {
  label: string
  value: ReactNode
  meaning: string
  action: string
  onChange: (() => void) | undefined
}

const Setting = ({ label, value, meaning, action, onChange }: SettingProps) => (
  <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-sm">
    <span className="font-medium">{label}</span>
    {value}
    <p className="min-w-0 flex-1 basis-56 text-muted">{meaning}</p>
    {onChange && (
      <Button size="sm" onClick={onChange}>
        {action}
      </Button>
    )}
  </div>
)

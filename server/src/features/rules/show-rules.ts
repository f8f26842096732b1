import type { SecurityRules } from '@carabiner/contract'
import type { SavedSettings } from './security-rule-store.ts'
import { effectiveSettings } from './security-settings.ts'

/** Returns the settings saved at one level and the effective rules. */
export const showRules = (saved: SavedSettings, of: 'organization' | 'toolPack'): SecurityRules => {
  const { dry_run = null, entities = {}, custom_rules = [] } = saved[of] ?? {}
  const updatedAt = of === 'organization' ? saved.organizationUpdatedAt : saved.toolPackUpdatedAt
  return {
    dry_run,
    entities,
    custom_rules,
    effective: effectiveSettings(saved),
    updated_at: updatedAt?.toISOString() ?? null,
  }
}

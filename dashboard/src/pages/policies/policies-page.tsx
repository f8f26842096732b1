import { getRouteApi, Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useScope } from '../../api/use-api.ts'
import { useToolPacks } from '../../api/use-tool-packs.ts'
import { PackFilter } from '../../pickers/pack-filter.tsx'
import { useMay } from '../../shell/use-session.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { FilterBar } from '../../ui/lists/filter-bar.tsx'
import { Page } from '../../ui/page.tsx'
import { NotLoaded } from '../../ui/states/not-loaded.tsx'
import { NEW_RULE } from './policies-search.ts'
import { RulesTable } from './rules-table.tsx'
import { SettingsCard } from './settings-card.tsx'
import { StarterList } from './starter-list.tsx'
import { usePolicy, usePolicyRules } from './use-policies.ts'

const route = getRouteApi('/o/$organization/$mode/policies')

/** The policy of the organization or of a Tool Pack: its rules, and what applies if none matches. */
const PoliciesPage = () => {
  const { pack } = route.useSearch()
  const navigate = route.useNavigate()
  const scope = useScope()
  const mayProtect = useMay('protect')
  const { data: packs = [] } = useToolPacks()
  const policy = usePolicy(pack)
  const rules = usePolicyRules(pack)
  return (
    <Page
      title="Policies"
      note="Rules decide which tool calls run, wait for an approval, or are denied. They apply from the next call, in test and production mode."
      actions={
        mayProtect && (
          <Link
            to="/o/$organization/$mode/policies/$ruleId"
            params={{ ...scope, ruleId: NEW_RULE }}
            search={pack === undefined ? {} : { pack }}
            className={buttonClass('primary')}
          >
            <Plus className="size-4" aria-hidden="true" />
            Add rule
          </Link>
        )
      }
    >
      {packs.length > 0 && (
        <FilterBar>
          <PackFilter
            packs={packs}
            value={pack}
            onChange={next => void navigate({ search: next === undefined ? {} : { pack: next } })}
          />
          {pack !== undefined && (
            <p className="text-sm text-muted">
              Decides together with the organization’s policy. The stricter decision applies.
            </p>
          )}
        </FilterBar>
      )}
      {policy.data && rules.data ? (
        <>
          <SettingsCard key={pack} pack={pack} policy={policy.data} mayProtect={mayProtect} />
          <Card isFlush>
            <RulesTable rules={rules.data} isOfPack={pack !== undefined} />
          </Card>
        </>
      ) : (
        <Card isFlush>
          <NotLoaded
            error={policy.error ?? rules.error}
            onRetry={() => Promise.all([policy.refetch(), rules.refetch()])}
            label="Loading the policy"
            rows={4}
          />
        </Card>
      )}
      {mayProtect && pack === undefined && <StarterList />}
    </Page>
  )
}

export default PoliciesPage

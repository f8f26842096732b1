import { Link } from '@tanstack/react-router'
import { useScope } from '../../api/use-api.ts'
import { Card } from '../../ui/card.tsx'
import { Badge } from '../../ui/data/badge.tsx'
import { NEW_RULE } from './policies-search.ts'
import { EFFECTS } from './rule-words.ts'
import { starters } from './starters.ts'

/** Rules to begin with. Nothing is saved before the person has seen the rule and what it would have done. */
export const StarterList = () => {
  const scope = useScope()
  return (
    <Card
      title="Starter policies"
      note="Open one to adapt it and to see what it would have done. Nothing is saved yet."
    >
      <ul className="grid gap-3 md:grid-cols-2 xl:grid-cols-3">
        {starters().map(({ id, name, detail, effect }) => (
          <li
            key={id}
            className="relative grid content-start gap-1.5 rounded-popup border border-line px-4 py-3.5 hover:bg-hover"
          >
            <span className="flex items-start justify-between gap-3">
              <Link
                to="/o/$organization/$mode/policies/$ruleId"
                params={{ ...scope, ruleId: NEW_RULE }}
                search={{ starter: id }}
                className="inline-flex min-h-6 items-center rounded-md text-sm font-medium before:absolute before:inset-0 before:content-['']"
              >
                {name}
              </Link>
              <Badge tone={EFFECTS[effect].tone}>{EFFECTS[effect].label}</Badge>
            </span>
            <span className="text-xs text-muted text-pretty">{detail}</span>
          </li>
        ))}
      </ul>
    </Card>
  )
}

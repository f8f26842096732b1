import type { Connector } from '@carabiner/sdk'
import { useState } from 'react'
import { useAddToPack, useToolPacks } from '../../api/use-tool-packs.ts'
import { useMay } from '../../shell/use-session.ts'
import { Button } from '../../ui/button.tsx'
import { Details } from '../../ui/data/details.tsx'
import { SelectField } from '../../ui/forms/select-field.tsx'
import { toast } from '../../ui/overlays/toast.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { ErrorNote } from '../../ui/states/error-note.tsx'
import { useUsage } from '../usage/use-usage.ts'

/** The Tool Packs that contain a connector, and its calls. */
export const ConnectorUse = ({ connector: { slug, name } }: { connector: Connector }) => {
  const mayBuild = useMay('build')
  const { data: packs = [] } = useToolPacks()
  const { data: usage } = useUsage('connector', '7d', undefined)
  const isIn = ({ connectors }: (typeof packs)[number]): boolean =>
    connectors === null || connectors.some(each => each.slug === slug)
  const others = packs.filter(pack => !isIn(pack))
  const { calls = 0, errors = 0 } = usage?.data.find(row => row.connector === slug) ?? {}
  return (
    <div className="grid gap-4">
      <Details
        entries={[
          [
            'Tool Packs',
            packs
              .filter(isIn)
              .map(pack => pack.name)
              .join(', ') || 'Not in any Tool Pack',
          ],
          [
            'Last 7 days',
            usage && (
              <span className="flex flex-wrap gap-x-4">
                <PageLink path={`/logs?connector=${slug}&range=7d`} className={linkClass}>
                  {count(calls, 'call')}
                </PageLink>
                {errors > 0 && (
                  <PageLink path={`/logs?connector=${slug}&outcome=error&range=7d`} className={linkClass}>
                    {count(errors, 'error')}
                  </PageLink>
                )}
              </span>
            ),
          ],
        ]}
      />
      {mayBuild && others.length > 0 && <AddToPack slug={slug} name={name} packs={others} />}
    </div>
  )
}

const linkClass = 'inline-flex min-h-6 items-center underline underline-offset-2 max-md:min-h-11'

const count = (number: number, what: string): string =>
  `${number.toLocaleString()} ${number === 1 ? what : `${what}s`}`

type AddProps = { slug: string; name: string; packs: readonly { id: string; name: string }[] }

const AddToPack = ({ slug, name, packs }: AddProps) => {
  const [chosen, setChosen] = useState<string>()
  const add = useAddToPack()
  const pack = packs.find(({ id }) => id === chosen) ?? packs[0]
  if (!pack) return null
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap items-end gap-3">
        <div className="min-w-48 flex-1">
          <SelectField
            label="Tool Pack"
            value={pack.id}
            onChange={setChosen}
            options={packs.map(({ id, name: label }) => ({ value: id, label }))}
          />
        </div>
        <Button
          isBusy={add.isPending}
          onClick={() =>
            add.mutate(
              { packId: pack.id, slug },
              { onSuccess: () => toast({ title: `${name} added to ${pack.name}` }) },
            )
          }
        >
          Add to pack
        </Button>
      </div>
      {add.error && <ErrorNote error={add.error} />}
    </div>
  )
}

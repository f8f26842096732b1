import { type ComponentType, cloneElement, type MouseEventHandler, type ReactElement, useState } from 'react'

type Trigger = ReactElement<{
  onClick?: MouseEventHandler
  onPointerEnter?: () => void
  'aria-haspopup'?: 'menu'
}>
type Loaded = ComponentType<{ trigger: ReactElement }>

type Props = {
  trigger: Trigger
  /** Its default export renders a Menu with `isOpenAtFirst` and the given trigger. */
  load: () => Promise<{ default: Loaded }>
}

/** A menu of the shell whose code is loaded when the pointer reaches its button or the button is pressed. */
export const MenuOnDemand = ({ trigger, load }: Props) => {
  const [Menu, setMenu] = useState<Loaded | null>(null)
  if (Menu) return <Menu trigger={trigger} />
  return cloneElement(trigger, {
    'aria-haspopup': 'menu',
    onPointerEnter: () => void load().catch(() => undefined),
    onClick: () => void load().then(module => setMenu(() => module.default)),
  })
}

import { cloneElement, type ReactElement } from 'react'
import { cx } from '../cx.ts'

type Target = ReactElement<{ className?: string; 'data-tip'?: string }>

/**
 * Repeats the name of a control on hover and keyboard focus. It is a pseudo-element of the control: screen readers already have
 * the name. Text that is available nowhere else does not belong into a tooltip.
 */
export const Tooltip = ({ text, children }: { text: string; children: Target }) =>
  cloneElement(children, { 'data-tip': text, className: cx(children.props.className, 'tip') })

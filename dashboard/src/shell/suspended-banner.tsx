/** Shown on every page of a suspended organization. */
const SuspendedBanner = ({ name }: { name: string }) => (
  <div role="status" className="mx-4 mb-4 rounded-card bg-warn-soft px-4 py-3 text-sm text-warn md:mx-8">
    <p>
      <b className="font-semibold">{name} is suspended.</b> API, MCP and Link requests are rejected, and jobs
      are paused. Nothing was deleted: you can still read everything here, but not change it. Ask the operator
      of this installation to reactivate it.
    </p>
  </div>
)

export default SuspendedBanner

from gnri.classifier import RuleClassifier as RuleClassifier
from gnri.data.binarizer import Binarizer as Binarizer
from gnri.data.schema import Schema as Schema
from gnri.episode import Episode as Episode
from gnri.estimator.statistics import ClauseStatistics as ClauseStatistics
from gnri.estimator.statistics import RuleStatistics as RuleStatistics
from gnri.formats.explanation import Explanation as Explanation
from gnri.induction import Induction as Induction
from gnri.induction import induce as induce
from gnri.model.load import load_model as load_model
from gnri.model.paper_export import ExportResult as ExportResult
from gnri.model.paper_export import canonical_export as canonical_export
from gnri.rules.dnf import Literal as Literal
from gnri.rules.dnf import SignedDNF as SignedDNF
from gnri.rules.documents import load_rules as load_rules
from gnri.rules.documents import save_rules as save_rules
from gnri.rules.equivalence import equivalent as equivalent
from gnri.rules.rule_list import RuleList as RuleList
from gnri.rules.rule_list import Step as Step
from gnri.rules.scorecard import Scorecard as Scorecard
from gnri.rules.syntax import parse as parse
from gnri.scores import Scores as Scores
from gnri.symmetry.audit import audit as audit
from gnri.symmetry.audit_report import AuditReport as AuditReport
from gnri.symmetry.group import Symmetry as Symmetry

__version__: str

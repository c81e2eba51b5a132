//! Words that mean the same in requests for tools, in English and Chinese. The table holds the common verbs and things of
//! computers and offices; it knows nothing of single servers or tools.

use std::collections::HashMap;

use super::terms::{is_han, terms};

/// How much a word counts that means the same as one of the query.
const SAME: f32 = 0.6;
/// How much an English word counts for a Chinese one. Chinese requests mostly have no other way to English tools.
const TRANSLATED: f32 = 0.9;

/// Words that say nothing about a tool, as terms.
const FILLERS: [&str; 40] = [
    "a", "an", "and", "are", "as", "at", "be", "by", "can", "could", "do", "doe", "for", "from", "have",
    "how", "i", "in", "is", "it", "me", "my", "of", "on", "or", "pleas", "that", "the", "their", "them",
    "thi", "to", "want", "what", "which", "will", "with", "would", "you", "your",
];

/// Each line is one meaning. Two words in English are joined by `+`.
const MEANINGS: &str = "\
create new make add set+up open generate 创建 新建 建立 添加 新增 生成
add append put insert attach 添加 加入 插入 附加
delete remove erase drop discard destroy get+rid throw+away 删除 移除 删掉 清除 去掉
list show all display enumerate 列出 列表 显示 有哪些
get read fetch retrieve view open 获取 读取 查看 打开
search find look+up look+for query locate 搜索 查找 寻找 查询 搜一下
update change edit modify alter set adjust 更新 修改 更改 编辑 调整 设置
send deliver post mail 发送 发给 寄
message chat text 消息 信息 聊天
write save store 写入 保存 存储
copy duplicate clone 复制 拷贝 克隆
move transfer relocate 移动 转移 搬
rename 重命名 改名
start begin launch run boot turn+on switch+on power+on 启动 开始 运行 开机 打开
stop end halt shut+down turn+off switch+off power+off 停止 结束 关机 关闭 停掉
restart reboot 重启 重新启动
close finish complete resolve done 关闭 完成 解决
cancel abort call+off void 取消 中止 作废
pause mute silence snooze suspend 暂停 静音 屏蔽
resume continue 恢复 继续
undo revert restore roll+back recover 撤销 还原 恢复 回滚
download 下载
upload 上传
export 导出
import load 导入
share 共享 分享
invite 邀请
reply answer respond 回复 答复 回答
forward pass+on 转发
schedule plan later 定时 安排 计划
book reserve 预订 预约 预定
assign delegate 分配 指派
comment remark 评论 备注
approve accept allow confirm 批准 接受 允许 确认
reject decline deny refuse 拒绝
compare diff difference versus 比较 对比 差异 区别
convert transform 转换
translate 翻译
summarize summary shorten 总结 摘要 概括
count number how+many 计数 数量 多少
calculate compute estimate 计算 估算
check verify test validate 检查 验证 测试
watch monitor follow observe track subscribe 监控 关注 跟踪 订阅
notify alert warn remind reminder warning 通知 提醒 警报 警告 告警 预警
compress zip pack archive 压缩 打包
extract unzip unpack decompress 解压
deploy release publish 部署 发布
merge combine join 合并
click press tap 点击
type enter fill 输入 填写
screenshot capture screen+shot 截图 截屏
recent latest newest last 最近 最新
file document 文件 文档
folder directory 文件夹 目录
image picture photo 图片 照片 图像
email mail message e+mail 邮件 电子邮件 邮箱
attachment attached 附件
draft 草稿
event meeting appointment 会议 日程 活动 约会
calendar agenda diary 日历 日程
room 会议室 房间
holiday vacation out+of+office 假期 节假日 休假
task todo checklist to+do 任务 待办
issue ticket bug problem 问题 工单 缺陷
project 项目
sprint iteration 迭代
deadline due 截止
branch 分支
commit 提交
repository repo 仓库 代码库
version revision history 版本 历史
page website site web 网页 页面 网站
link url address 链接 网址 地址
tab 标签页
browser 浏览器
database db 数据库
table 数据表
row record 记录
index 索引
column field 字段
backup dump 备份
slow performance speed 慢 性能 速度
weather 天气 气象
forecast prediction tomorrow 预报 明天
rain precipitation 下雨 降雨 雨
temperature degrees hot cold 温度 气温
wind 风
air 空气
map 地图
route direction navigate way 路线 路径 导航 怎么走
distance far 距离 多远
nearby near close+by around 附近 周边
parking park 停车
drive driving car 驾车 开车
walk walking foot 步行 走路
bus transit subway train metro 公交 地铁 火车
traffic congestion jam 路况 拥堵 堵车
taxi cab ride 出租车 打车
place location where 位置 地点 地方
server machine instance vm host computer 服务器 虚拟机 主机 机器
virtual 虚拟机
bucket storage object 存储 存储桶
log logs 日志
error failure exception 错误 失败 异常
metric measurement statistics 指标 统计 数据
dashboard 仪表盘 看板
incident outage 故障 事故
certificate tls ssl 证书
dns domain 域名
cost spending expense bill charge 费用 花费 成本
channel 频道
user person people member someone 用户 成员 联系人
group team 群组 团队
note memo 笔记 便签
tag label 标签
notebook 笔记本
customer client buyer 客户 顾客 买家
payment pay charge 付款 支付 收款
refund reimburse repay 退款 退钱
invoice bill 发票 账单
subscription plan 订阅
price amount cost 价格 金额
discount coupon 折扣 优惠券
product item goods 商品 产品
balance funds money 余额 资金 钱
report 报告 报表
tax vat 税
password secret credential 密码
key 密钥
permission access right privilege 权限
setting configuration option config 设置 配置
time hour clock 时间
date day today 日期 今天
size large big 大小
free available 空闲 可用 剩余
urgent priority important 紧急 优先级 重要
duplicate identical same 重复 相同
replace swap substitute 替换
lock protect 锁定 保护
scroll 滚动
status state condition 状态 情况
owner author who 作者 谁
";

/// The words of the table, by what they are looked up with.
pub(super) struct Synonyms {
    /// For a term its meanings, each a list of terms.
    by_term: HashMap<String, Vec<usize>>,
    /// Phrases of several words and Chinese words, as they stand in a request, with their meaning.
    phrases: Vec<(String, usize)>,
    meanings: Vec<Vec<String>>,
}

impl Synonyms {
    pub(super) fn new() -> Self {
        let mut table = Self {
            by_term: HashMap::new(),
            phrases: vec![],
            meanings: vec![],
        };
        for line in MEANINGS.lines() {
            table.add(line);
        }
        table
    }

    fn add(&mut self, line: &str) {
        let meaning = self.meanings.len();
        let mut all = vec![];
        for word in line.split(' ') {
            if word.contains('+') || word.starts_with(is_han) {
                self.phrases.push((word.replace('+', " "), meaning));
            }
            if word.contains('+') {
                continue;
            }
            let parts = terms(word);
            if let [term] = parts.as_slice() {
                self.by_term.entry(term.clone()).or_default().push(meaning);
            }
            all.extend(parts);
        }
        all.dedup();
        self.meanings.push(all);
    }

    /// A term with those that mean the same, itself first.
    pub(super) fn of_term(&self, term: String) -> Vec<(String, f32)> {
        let meanings = self.by_term.get(&term).into_iter().flatten();
        let others = meanings.flat_map(|meaning| &self.meanings[*meaning]);
        let same: Vec<_> = others
            .filter(|other| **other != term)
            .map(|other| (other.clone(), SAME))
            .collect();
        std::iter::once((term, 1.0)).chain(same).collect()
    }

    /// What the phrases and Chinese words in a text mean.
    pub(super) fn of_phrases(&self, text: &str) -> Vec<Vec<(String, f32)>> {
        let text = format!(" {} ", text.to_lowercase());
        let stands_in = |phrase: &str| match phrase.starts_with(is_han) {
            true => text.contains(phrase),
            false => text.contains(&format!(" {phrase} ")),
        };
        let found = self.phrases.iter().filter(|(phrase, _)| stands_in(phrase));
        let meaning = |(_, meaning): &(String, usize)| {
            let terms = self.meanings[*meaning].iter();
            terms.map(|term| (term.clone(), TRANSLATED)).collect()
        };
        found.map(meaning).collect()
    }
}

pub(super) fn is_filler(term: &str) -> bool {
    FILLERS.contains(&term)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_found_in_both_languages_and_as_a_phrase() {
        let synonyms = Synonyms::new();
        let has = |terms: &[(String, f32)], wanted: &str| terms.iter().any(|(term, _)| term == wanted);
        assert!(has(&synonyms.of_term("eras".into()), "delet"));
        assert!(has(&synonyms.of_term("weather".into()), "天气"));
        assert!(has(&synonyms.of_phrases("把它删掉")[0], "delet"));
        assert!(has(&synonyms.of_phrases("turn off the light")[0], "stop"));
        assert!(synonyms.of_phrases("return office").is_empty());
    }
}
